/** The version of agent and cloud, which are released together. A test checks that it equals the one in package.json. */
export const VERSION = '0.1.0';

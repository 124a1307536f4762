/** The version of agent and cloud: they are released together. A test holds it equal to package.json's. */
export const VERSION = '0.1.0';

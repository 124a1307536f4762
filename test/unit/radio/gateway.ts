/** Name of the gateway under test on the emulated radio. */
export const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';

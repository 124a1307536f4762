/** The part of `qrcode` that makes the modules of a code; its own types are of the whole package, which needs Node. */
declare module 'qrcode/lib/core/qrcode.js' {
  export function create(text: string): { modules: { size: number; data: Uint8Array } };
}

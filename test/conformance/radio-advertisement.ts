/** Manufacturer data of the product protocol's shape; `mark` distinguishes one from another. */
export function advertisementOf(address: string, mark = 0): Uint8Array {
  const data = Buffer.alloc(25);
  data.set([0xff, 0xff, 0x50, 0x11]);
  Buffer.from(address, 'hex').copy(data, 4);
  data.writeUInt32LE(mark, 17);
  return new Uint8Array(data);
}

/** `node radio-close-program.js NAME`: uses that radio, closes it in the middle of its work, and must end by itself. */
import { createChildBench, createNobleBench } from './radio-benches.js';
import { advertisementOf } from './radio-advertisement.js';

const BENCHES = { noble: createNobleBench, child: createChildBench };
const ADDRESS = 'a4c138000001';

const createBench = BENCHES[process.argv[2] as keyof typeof BENCHES];
const bench = await createBench();
await new Promise<void>((resolve) => {
  if (bench.radio.state === 'on') resolve();
  else bench.radio.onStateChange(() => resolve());
});
await bench.addProduct({ address: ADDRESS, manufacturerData: advertisementOf(ADDRESS), mtu: 256 });
const link = await bench.radio.connect(ADDRESS, { timeoutMs: 20_000 });
await link.write(Uint8Array.of(1));
const waiting = bench.radio.connect('a4c1380000ff', { timeoutMs: 600_000 }).catch(() => 'ended');
const writing = link.write(Uint8Array.of(2)).catch(() => 'ended');
await bench.radio.close();
await Promise.all([waiting, writing, link.closed]);
await bench.close();
process.stdout.write('closed\n');

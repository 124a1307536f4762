/** Records with which one gateway's credential was turned against the service, as JSON text. They judge nothing. */

/** A record around a payload that is given as text. */
const recordText = (of: { seq: number; uid: string }, payload: string): string =>
  `{"seq":${of.seq},"uid":"${of.uid}","boot_id":"${of.uid}","mono_ms":1,"wall_ms":1,"clock_ok":true,"payload":${payload}}`;

/** By the name of the attack: a record that is to take its number, whatever else it says. */
export const HOSTILE_RECORDS: Readonly<Record<string, (of: { seq: number; uid: string }) => string>> = {
  'ten megabytes in one string': (of) => recordText(of, `{"kind":"sighting","direction":"${'x'.repeat(10_000_000)}"}`),
  'lists nested a million deep': (of) => recordText(of, '['.repeat(1_000_000) + ']'.repeat(1_000_000)),
  'objects nested a hundred thousand deep': (of) => recordText(of, '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)),
  'a hundred thousand keys that nobody knows': (of) =>
    recordText(of, `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(',')}}`),
  'many short strings': (of) => recordText(of, `[${'"",'.repeat(1_000_000)}""]`),
  'bytes that are no text': (of) => recordText(of, '"\u0000"'),
};

/** The text of a batch around records that are text. */
export const batchText = (epoch: string, lane: number, records: readonly string[]): Uint8Array =>
  Buffer.from(`{"epoch":"${epoch}","lane":${lane},"records":[${records.join(',')}]}`);

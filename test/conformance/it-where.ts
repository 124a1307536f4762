import { it } from 'vitest';

/** Makes tests of a suite that run only where what they need can be had; where it cannot, each says that it is skipped. */
export function itWhere(isThere: boolean, suite: string): (name: string, work: () => Promise<void>) => void {
  return (name, work) => {
    if (isThere) {
      it(name, work);
      return;
    }
    it.skip(name, work);
    process.stderr.write(`skipped, ${suite}: ${name}\n`);
  };
}

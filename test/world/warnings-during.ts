/** What Node.js warned of in this process while the work was done, such as listeners that look like a leak. */
export async function warningsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  try {
    await work();
    // Node.js tells them in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', note);
  }
  return warnings;
}

import type { ChildProcess } from 'node:child_process';

/** The next message of a process of the benchmark; rejects when it ends instead. */
export function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('a process of the benchmark ended'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

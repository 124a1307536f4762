import type { ChildProcess } from 'node:child_process';

/**
 * The next message of a process of the benchmark; rejects when it ends instead.
 * @param withinMs rejects when none came in this time. Left out: it may take as long as it likes
 */
export function answerOf<T>(child: ChildProcess, withinMs?: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.off('exit', ended);
      child.off('message', heard);
      reject(new Error(`a process of the benchmark ${reason}`));
    };
    const ended = () => fail('ended');
    const heard = (message: unknown) => {
      clearTimeout(timer);
      child.off('exit', ended);
      resolve(message as T);
    };
    const timer = withinMs === undefined ? undefined : setTimeout(() => fail('does not answer'), withinMs);
    child.once('exit', ended);
    child.once('message', heard);
  });
}

import type { Result, Router } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';

/**
 * Finds what answers a path. Hono's fastest router makes one regular expression of all paths, but of none where a word stands beside a
 * parameter (`/v2/sessions/export`, `/v2/sessions/:id`): then its slowest one would do all the work. Here paths without a parameter are
 * looked up before the others, so that they need no expression.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter';
  /** By method and path. */
  readonly #whole = new Map<string, Result<T>>();
  readonly #withParameters = new RegExpRouter<T>();

  add(method: string, path: string, handler: T): void {
    if (/[:*]/.test(path)) this.#withParameters.add(method, path, handler);
    else this.#whole.set(`${method} ${path}`, [[[handler, {}]], []]);
  }

  match(method: string, path: string): Result<T> {
    return this.#whole.get(`${method} ${path}`) ?? this.#withParameters.match(method, path);
  }
}

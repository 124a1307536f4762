import { type Agent, request } from 'node:http';

export interface Target {
  port: number;
  path: string;
}

/** Sends a GET with a bearer, or a POST if there is a body. Rejects on any answer but 200. */
export function ask(options: { agent: Agent; target: Target; bearer?: string; body?: string }): Promise<void> {
  const { agent, target, bearer, body } = options;
  const method = body === undefined ? 'GET' : 'POST';
  const headers = {
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const asked = request({ agent, host: '127.0.0.1', ...target, method, headers }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${target.path} answered ${response.statusCode}`)),
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

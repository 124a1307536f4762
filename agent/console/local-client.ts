/** Asks the gateway that runs on this device, for the subcommands of `parking-agent`. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { GatewayStatus } from '../health/status.js';

const STATUS_WITHIN_MS = 5_000;

export interface GatewayPlace {
  httpHost: string;
  httpPort: number;
}

interface LocalRequest {
  method: 'GET' | 'POST';
  path: string;
  withinMs: number;
  body?: unknown;
}

/** Nothing answers where the gateway would. */
export class NoGatewayError extends Error {}

/** The gateway could not do what it was asked for, for a reason that it says itself. */
export class GatewayFaultError extends Error {}

/** @throws NoGatewayError; Error that says what to do when no gateway answers, or it fails */
export async function askGateway<Answer>({ httpHost, httpPort }: GatewayPlace, asked: LocalRequest): Promise<Answer> {
  const host = httpHost === '0.0.0.0' ? '127.0.0.1' : httpHost === '::' ? '[::1]' : httpHost;
  const url = `http://${host}:${httpPort}${asked.path}`;
  const { status, answer } = await answerOf(url, asked);
  if (isSuccess(status)) return answer as Answer;
  throw new Error(
    status === 404
      ? `what answers at ${url} does not know this: is it the gateway, in this version, and AGENT_HTTP_PORT the same?`
      : `the gateway at ${url} failed with ${status}: its log says why`,
  );
}

/** @throws as `askGateway` */
export const askStatus = (place: GatewayPlace): Promise<GatewayStatus> =>
  askGateway(place, { method: 'GET', path: '/status', withinMs: STATUS_WITHIN_MS });

/**
 * Asks the gateway to do something.
 * @param about what it is done to, which a reason begins with; left out: the reason says it
 * @returns what came of it
 * @throws GatewayFaultError with the gateway's reason; as `askGateway` does
 */
export async function orderGateway<Result extends object>(
  place: GatewayPlace,
  order: Omit<LocalRequest, 'method'>,
  about?: string,
): Promise<Result> {
  const answer = await askGateway<{ fault: string } | ({ fault: null } & Result)>(place, { method: 'POST', ...order });
  if (answer.fault !== null)
    throw new GatewayFaultError(about === undefined ? answer.fault : `${about}: ${answer.fault}`);
  const { fault: _none, ...result } = answer;
  return result as unknown as Result;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The client is Node's own: fetch never settles when what holds the port closes each connection at once. */
async function answerOf(
  url: string,
  { method, withinMs, body }: LocalRequest,
): Promise<{ status: number; answer: unknown }> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    const sent = request(url, { method, headers: { 'content-type': 'application/json' }, agent: false, signal });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode: status = 0 } = response;
    if (isSuccess(status)) return { status, answer: await json(response) };
    response.destroy();
    return { status, answer: null };
  } catch (cause) {
    if (signal.aborted)
      throw new Error(
        `the gateway at ${url} did not answer within ${withinMs / 1_000} s: it may still be at it, and its log says what it does`,
        { cause },
      );
    throw new NoGatewayError(
      `no gateway answers at ${url}: is parking-agent run running, and AGENT_HTTP_PORT the same?`,
      { cause },
    );
  }
}

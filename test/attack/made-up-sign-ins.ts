/** Sign-ins that cannot succeed, from as many addresses as an attacker has. */
import { Agent, request } from 'node:http';

export interface MadeUpSignIn {
  email: string;
  password: string;
  /** The address that a proxy in front of the service names; left out: that of the connection. */
  from?: string;
}

/** Another mail each time. */
export const madeUpMail = (number: number): string => `made-up-${number}@nowhere.example`;

/** One of 65,536 addresses. */
export const madeUpAddress = (number: number): string => `198.18.${(number >> 8) & 0xff}.${number & 0xff}`;

/** Sends them all at once. @returns how often each status was answered; 0: no answer */
export async function sendSignIns(base: string, signIns: readonly MadeUpSignIn[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  const agent = new Agent({ keepAlive: true });
  const statuses = await Promise.all(signIns.map((each) => sendSignIn(base, agent, each)));
  agent.destroy();
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function sendSignIn(base: string, agent: Agent, { email, password, from }: MadeUpSignIn): Promise<number> {
  const body = JSON.stringify({ email, password });
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...(from === undefined ? {} : { 'x-forwarded-for': from }),
  };
  return new Promise((resolve) => {
    const sent = request(new URL('/v2/auth/login', base), { method: 'POST', headers, agent });
    sent.once('response', (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body);
  });
}

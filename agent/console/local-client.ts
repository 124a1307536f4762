/** Asks the gateway that runs on this device, for the subcommands of `parking-agent`. */

/** @throws Error that says what to do when no gateway answers */
export async function askGateway<Answer>(
  { httpHost, httpPort }: { httpHost: string; httpPort: number },
  request: { method: 'GET' | 'POST'; path: string; withinMs: number; body?: unknown },
): Promise<Answer> {
  const host = httpHost === '0.0.0.0' ? '127.0.0.1' : httpHost === '::' ? '[::1]' : httpHost;
  const url = `http://${host}:${httpPort}`;
  const { method, path, withinMs, body } = request;
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(withinMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return (await response.json()) as Answer;
  } catch (cause) {
    throw new Error(
      `no gateway answers at ${url}${path}: is parking-agent run running, and AGENT_HTTP_PORT the same?`,
      {
        cause,
      },
    );
  }
}

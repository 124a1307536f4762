/** `GET /metrics`, for programs on the device itself: how many things need a person, as Prometheus text. */
import { Hono } from 'hono';
import { TROUBLE_KINDS } from '../../shared/troubles/trouble.js';
import { ownTroubles } from '../health/decide-own-troubles.js';
import type { GatewayStatus } from '../health/status.js';
import { isOwnProgram } from './own-program.js';

const NAME = 'parking_agent_troubles';

export function createMetricsRoute(status: () => Promise<GatewayStatus>): Hono {
  const app = new Hono();
  app.get('/metrics', async (context) =>
    isOwnProgram(context) ? context.text(metricsText(await status())) : context.notFound(),
  );
  return app;
}

function metricsText(status: GatewayStatus): string {
  const kinds = ownTroubles(status).map(({ kind }) => kind);
  const lines = TROUBLE_KINDS.map((kind) => `${NAME}{kind="${kind}"} ${kinds.filter((each) => each === kind).length}`);
  return [
    `# HELP ${NAME} What needs a person, by kind; of the kind awaited, what was only just set up`,
    `# TYPE ${NAME} gauge`,
    ...lines,
    '',
  ].join('\n');
}

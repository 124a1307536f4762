/** Measures requests, and serves the measurements. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, INTERNAL, NOT_FOUND } from '../../../shared/errors.js';
import { isLocal } from './client-address.js';
import type { Endpoint } from '../request/endpoint.js';
import type { HttpEnv } from '../request/http-env.js';
import { replyText } from '../request/reply.js';
import { errorResponses } from '../request/route-description.js';

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface RequestMeasurementDeps {
  /** Of the app's own measurements. */
  metrics: { registry: Registry };
  clock: Pick<Clock, 'monotonic'>;
}

/** Measures durations by method, declared path and status, so that ids in paths make no new series. */
export function createRequestMeasurement({
  metrics,
  clock,
}: RequestMeasurementDeps): (c: Context<HttpEnv>, status: number, startedAt: number) => void {
  const durations = new Histogram({
    name: 'parking_http_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers: [metrics.registry],
  });
  /** To look for a series by its labels takes longer than to measure. */
  const series = new Map<string, { observe(seconds: number): void }>();
  const seriesOf = (method: string, route: string, status: number) => {
    const name = `${method} ${route} ${status}`;
    const known = series.get(name);
    if (known !== undefined) return known;
    const made = durations.labels({ method, route, status });
    series.set(name, made);
    return made;
  };
  return (c, status, startedAt) => {
    const route = c.get('route');
    // A request that no endpoint answers may have any text as method.
    const measured = seriesOf(route === undefined ? 'any' : c.req.method, route ?? 'none', status);
    measured.observe((clock.monotonic() - startedAt) / 1_000);
  };
}

const METRICS_ROUTE = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Measurements as Prometheus text',
  tags: ['Health'],
  responses: {
    200: { description: 'Success', content: { 'text/plain': { schema: z.string() } } },
    ...errorResponses([NOT_FOUND, INTERNAL]),
  },
});

/** GET /metrics: Prometheus text. @param deps.isPublic false: only this machine may read it; anybody else gets 404 */
export function metricsEndpoints(deps: { registry: Registry; isPublic: boolean }): Endpoint[] {
  return [
    {
      route: METRICS_ROUTE,
      async run(c) {
        if (!deps.isPublic && !isLocal(c.env.incoming)) throw new ApiError(NOT_FOUND);
        return replyText(c, await deps.registry.metrics(), { headers: { 'Content-Type': deps.registry.contentType } });
      },
    },
  ];
}

/** POST /v2/rgb-displays/{id}/preview: what a display would show. GET /v2/rgb-displays/{id}/shown: what it shows. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { countZones, withOccupied } from '../../../shared/display/count-zones.js';
import { decideDisplayText } from '../../../shared/display/decide-display-text.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  datetime,
  type Endpoint,
  flag,
  id,
  isoOrNull,
  protectedEndpoint,
  timeParameter,
  visibleRow,
  wholeValue,
} from '../../rest/entry.js';
import { occupiedCountsOfZones } from '../../site/entry.js';
import { displayRuleOf } from './display-config-payload.js';
import { isDisplayStale } from './decide-display-stale.js';
import { countedByDisplay, rulesOfDisplays } from './display-queries.js';
import { DISPLAY_LIST } from './display-resource.js';

const COUNT_MAX = 1_000_000;
const TAG = 'RGB displays';

const previewBody = z.strictObject({
  occupied_count: wholeValue(0, COUNT_MAX).optional(),
  at: timeParameter.optional().describe('The time for which it is asked; now when it is left out.'),
});
const previewSchema = z.strictObject({
  text: z.string(),
  rule_id: id.nullable().describe('The rule whose text it is; null when none fits, and it is the stale text.'),
});
const shownSchema = z.strictObject({
  text: z.string().nullable(),
  shown_at: datetime.nullable().describe('When the display last took its text; null when it is not known.'),
  is_stale: flag.describe(
    'Whether the display shows its stale text, or nothing was heard of it for three minutes: 1 or 0.',
  ),
});

export function displayEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/rgb-displays/{id}/preview',
      summary: 'What a display would show, now or at a time, with so many vehicles; nothing is stored',
      tag: TAG,
      roles: ALL_ROLES,
      body: previewBody,
      answer: previewSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, DISPLAY_LIST, { caller, id: ids.id }),
      async handle({ found: display, body }) {
        const now = clock.now();
        const { zones, lot } = await countedByDisplay(store.reader, display);
        const counts = await occupiedCountsOfZones(store.reader, zones, now);
        const counted = countZones(
          zones.map(({ id: zone_id, spot_count }) => ({ spot_count, occupied: counts.get(zone_id) ?? 0 })),
        );
        const rules = await rulesOfDisplays(store.reader, [display.id]);
        return decideDisplayText(
          { rules: rules.map(displayRuleOf), stale_text: display.stale_text },
          {
            ...(body.occupied_count === undefined ? counted : withOccupied(counted, body.occupied_count)),
            zone: display.zone_id === null ? '' : (zones[0]?.name ?? ''),
            lot,
            at_ms: body.at ?? now,
          },
        );
      },
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/rgb-displays/{id}/shown',
      summary: 'What a display shows, as its gateway last said',
      tag: TAG,
      roles: ALL_ROLES,
      answer: shownSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, DISPLAY_LIST, { caller, id: ids.id }),
      handle({ found: { shown_text, shown_at, shown_is_stale } }) {
        const is_stale = isDisplayStale({ shown_at, shown_is_stale }, clock.now()) ? 1 : 0;
        return Promise.resolve({ text: shown_text, shown_at: isoOrNull(shown_at), is_stale } as const);
      },
    }),
  ];
}

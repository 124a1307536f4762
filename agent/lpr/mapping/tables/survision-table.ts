/** Survision: every value a text; a camera that is not synchronised says so, and its time counts for nothing. */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

export const SURVISION: CameraMappingInput[] = [
  {
    plate: 'anpr.decision.@plate',
    event_id: ['anpr.@session', 'anpr.@id'],
    confidence: { at: 'anpr.decision.@reliability' },
    direction: { at: 'anpr.decision.@direction', towards: ['front'], away: ['rear'] },
    time: { at: 'anpr.@date', format: 'milliseconds', unless: { at: 'anpr.@synchronized', is: ['0', 'false'] } },
    country: 'anpr.decision.@context_isoAlpha2',
    full: { base64: ['anpr.decision.jpeg', 'anpr.jpeg'] },
  },
];

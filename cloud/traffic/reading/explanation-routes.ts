/** GET /v2/plate-readings/{id}/explanation */
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, protectedEndpoint, visibleRow } from '../../rest/entry.js';
import { explanationSchema, representExplanation } from './explanation-payload.js';
import { findExplainedReading } from './reading-detail-queries.js';
import { PLATE_READING_LIST } from './plate-reading-list.js';

export function explanationEndpoint({ store }: { store: Pick<CloudStore, 'reader'> }): Endpoint {
  return protectedEndpoint({
    method: 'get',
    path: '/v2/plate-readings/{id}/explanation',
    summary: 'Why a vehicle was let through or not',
    tag: 'Plate readings',
    roles: ALL_ROLES,
    answer: explanationSchema,
    find: ({ caller, ids }) => visibleRow(store.reader, PLATE_READING_LIST, { caller, id: ids.id }),
    async handle({ found: { id } }) {
      const reading = await findExplainedReading(store.reader, id);
      if (reading === null) throw new ApiError(NOT_FOUND);
      return representExplanation(reading);
    },
  });
}

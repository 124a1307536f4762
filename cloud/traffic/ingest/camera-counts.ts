/** Counts what the records of a batch say of cameras, for their days. */
import { addCameraCounts, type CameraCounts, dayIn, NO_COUNTS } from '../../equipment/entry.js';
import type { Db } from '../../kernel/entry.js';
import type { BatchPlan } from './batch-plan.js';
import type { PlanContext } from './plan-context.js';

/** Counts one record at the time of its event. A camera that was deleted since has no days. */
export function countOfCamera(
  { facts, plan }: Pick<PlanContext, 'facts' | 'plan'>,
  seen: { lpr_camera_id: number | null; at_ms: number; counts: keyof CameraCounts },
): void {
  const timezone = seen.lpr_camera_id === null ? null : facts.cameras.get(seen.lpr_camera_id)?.timezone;
  if (seen.lpr_camera_id === null || typeof timezone !== 'string') return;
  const { lpr_camera_id } = seen;
  const day = dayIn(timezone, seen.at_ms);
  const key = `${lpr_camera_id} ${day}`;
  let counted = plan.cameraCounts.get(key);
  if (counted === undefined) plan.cameraCounts.set(key, (counted = { lpr_camera_id, day, ...NO_COUNTS }));
  counted[seen.counts] += 1;
}

export const writeCameraCounts = (tx: Db, counts: BatchPlan['cameraCounts']): Promise<void> =>
  addCameraCounts(tx, [...counts.values()]);

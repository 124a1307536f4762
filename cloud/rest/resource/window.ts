/** The rule of validity windows. */
import type { Problem } from './problem.js';
import type { Rule } from './resource.js';

/** The end must be after the start. Without a start or an end the window is open on that side. */
export const endsAfterStart: Rule = {
  fields: ['start_time', 'end_time'],
  problems: ({ start_time, end_time }): Problem[] =>
    typeof start_time === 'number' && typeof end_time === 'number' && end_time <= start_time
      ? [{ field: 'end_time', reason: 'must be after start_time' }]
      : [],
};

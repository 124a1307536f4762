/** What is known of a display's rule. */
import { z } from 'zod';
import { RULE_OPERATORS } from '../../../shared/display/decide-display-text.js';
import {
  HIDDEN,
  identity,
  inRest,
  nameValue,
  optional,
  referenceTo,
  required,
  textValue,
  timeOrNullField,
  TIMES,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

const COUNT_MAX = 1_000_000;
export const ORDER_MAX = 10_000;

export const DISPLAY_RULE_FIELDS = {
  id: identity,
  display: inRest(referenceTo('rgb_displays', { id: 'rgb_display_id', form: HIDDEN, filter: true })),
  name: required(nameValue, { filter: true, sort: true }),
  operator: required(z.enum(RULE_OPERATORS), { says: 'How the number of occupied places is compared.' }),
  occupied_value: withDefault(wholeValue(0, COUNT_MAX), 0, {
    says: 'The number of occupied places that the operator compares with.',
  }),
  occupied_value_to: withDefault(wholeValue(0, COUNT_MAX).nullable(), null, {
    says: 'The upper end of `between`, with `occupied_value` as the lower; null with other operators.',
  }),
  display_text: withDefault(textValue, '', { says: 'The text that the display shows.' }),
  /** Left out: after the other rules of its display. */
  order: optional(wholeValue(0, ORDER_MAX), {
    sort: true,
    says: 'The place of the rule among those of its display: the first one that fits is shown.',
  }),
  start_time: timeOrNullField({ says: 'When the rule begins to apply; null for always.' }),
  end_time: timeOrNullField({ says: 'When the rule stops applying; null for never.' }),
  ...TIMES,
};

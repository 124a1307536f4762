/** What is known of a display. */
import { z } from 'zod';
import { displayDriverSchema } from '../../../shared/drivers/display-drivers.js';
import {
  accountField,
  addressValue,
  computed,
  gatewayOfLot,
  holdsAddressSecret,
  identity,
  inner,
  inRest,
  MASKED_ADDRESS,
  nameValue,
  OPEN_WORD,
  referenceTo,
  required,
  textValue,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

export const DISPLAY_FIELDS = {
  id: identity,
  name: required(nameValue, { filter: true, sort: true }),
  account_id: accountField({ filter: true }),
  lot: inRest(referenceTo('lots', { id: 'lot_id', isOptional: true, filter: true })),
  zone: referenceTo('zones', {
    id: 'zone_id',
    isNullable: true,
    default: null,
    isRequiredInFile: true,
    filter: true,
    says: 'The zone whose occupied places the display shows; null for those of the whole lot.',
  }),
  /** The gateway that writes to it. */
  gateway: gatewayOfLot({ where: " of the zone's lot", filter: true }),
  /** Empty: it has no driver yet. */
  driver: withDefault(displayDriverSchema, '', { form: OPEN_WORD }),
  address: withDefault(addressValue, '', {
    form: MASKED_ADDRESS,
    holdsSecret: holdsAddressSecret,
    says: 'The address of the display: host name or IP address, with a port where it is not the usual one.',
  }),
  template: withDefault(textValue, '', {
    says: 'How the text is sent: `{text}` stands for it; empty for the way of the driver.',
  }),
  stale_text: withDefault(textValue, '', {
    says: 'What the display shows when the number of occupied places is not known.',
  }),
  problem: computed(z.string().nullable(), {
    says: 'Why the display does not work as it should: that its secret is wanted, because another device is its gateway now, or what its gateway last reported of it; null: nothing is known against it.',
  }),
  /** JSON: the holders of its secrets (`rest/resource/secret-holder-codec.ts`); null: an older version wrote the row. */
  secrets_for: inner('text null'),
  /** What it last showed, as its gateway said, and when it was sent; null: never. */
  shown_text: inner('text null'),
  shown_at: inner('bigint null'),
  shown_is_stale: inner('integer null'),
  ...TIMES,
};

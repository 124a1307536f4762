/** How a measured number becomes occupied or free. Registers and payloads have the same keys for it. */
import { z } from 'zod';

/** The largest threshold. */
export const MEASURED_MAX = 65_535;
/** The largest measured number, which comes from two registers. */
const VALUE_MAX = 4_294_967_295;
const SENTINELS_MAX = 10_000;

export const measuredNumber = (min: number) => z.number().int().min(min).max(MEASURED_MAX);

/** A value is evaluated in one of two ways, which are told apart by their keys. */
const occupiedSchema = z.union(
  [
    /** Occupied when one of these bits is set. */
    z.strictObject({ mask: measuredNumber(1) }),
    /** Occupied when the value is lower than this, and free again above `below + hysteresis`. */
    z.strictObject({ below: measuredNumber(0), hysteresis: measuredNumber(0).default(0) }),
  ],
  {
    error: ({ input }) =>
      input === undefined
        ? 'is required'
        : 'must be {mask: 1} or {below: 1500, hysteresis: 100}, with numbers up to 65535',
  },
);

export const occupancyRuleShape = {
  occupied: occupiedSchema,
  /** Values that are not measurements, such as error codes. */
  sentinels: z.array(z.number().int().min(0).max(VALUE_MAX)).max(SENTINELS_MAX).default([]),
};
export type OccupancyRule = { [Key in keyof typeof occupancyRuleShape]: z.output<(typeof occupancyRuleShape)[Key]> };

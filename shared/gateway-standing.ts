/**
 * Whether a device still is the gateway that it was claimed as. A device that its broker refuses asks its cloud, and the cloud signs what it
 * answers: nobody on the network can make a gateway erase itself.
 */
import { z } from 'zod';
import { gatewayUuidSchema } from './ids.js';
import { type Ack, ackSchema } from './uplink.js';

/** `replaced`: another device was claimed in its place. `reset`: a person had it erased. `deleted`: the gateway was. */
export const STANDINGS_ENDED = ['replaced', 'reset', 'deleted'] as const;
export type StandingEnded = (typeof STANDINGS_ENDED)[number];

const bytesAsText = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`), `must be ${bytes} bytes as base64url`);

/** Body of `POST /v2/gateways/standing`. `signature`: of the device, over `standingQuestionText`. */
export const standingQuestionSchema = z.strictObject({
  uuid: gatewayUuidSchema,
  /** Raw Ed25519 key of the device. */
  public_key: bytesAsText(32),
  /** 32 bytes that the device has never used before. */
  nonce: bytesAsText(32),
  /** How many records it has not sent. */
  waiting: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  /** Whether it is being erased by a person before it, and is to be let in no more. */
  leaves: z.boolean(),
  signature: bytesAsText(64),
});
export type StandingQuestion = z.infer<typeof standingQuestionSchema>;

/** `unknown`: the cloud knows of no such device. `signature`: of the cloud (`cloud_key` of the configuration), over `standingAnswerText`. */
export const standingAnswerSchema = z.object({
  standing: z.enum(['current', 'unknown', ...STANDINGS_ENDED]),
  signature: bytesAsText(64),
});
export type Standing = z.infer<typeof standingAnswerSchema>['standing'];

type Asked = Omit<StandingQuestion, 'signature' | 'uuid'> & { uuid: string };

export const standingQuestionText = ({ uuid, public_key, nonce, waiting, leaves }: Asked): string =>
  ['gateway standing question', uuid, public_key, nonce, waiting, leaves].join('\n');

/** It names what was asked, so that no answer fits another device, or another question of the same one. */
export const standingAnswerText = ({ uuid, public_key, nonce }: Asked, standing: Standing): string =>
  ['gateway standing answer', uuid, public_key, nonce, standing].join('\n');

/** A batch of records with its envelope; a batch of one record may be as long as that. */
export const LAST_RECORDS_BODY_BYTES_MAX = 192 * 1024;

/**
 * Body of `POST /v2/gateways/last-records`: what a device that is the gateway no more recorded before it knew. `batch`: as it would be
 * published to `up/records`. `signature`: of the device, over `lastRecordsText`.
 */
export const lastRecordsSchema = z.strictObject({
  uuid: gatewayUuidSchema,
  /** Raw Ed25519 key of the device. */
  public_key: bytesAsText(32),
  batch: z.string().min(1).max(LAST_RECORDS_BODY_BYTES_MAX),
  signature: bytesAsText(64),
});
export type LastRecords = z.infer<typeof lastRecordsSchema>;

/** `ack`: as the broker would bring it; null: the cloud takes no records of this device. `signature`: of the cloud, over `lastRecordsAnswerText`. */
export const lastRecordsAnswerSchema = z.object({ ack: ackSchema.nullable(), signature: bytesAsText(64) });

type Handed = { uuid: string; public_key: string; batch: string };

export const lastRecordsText = ({ uuid, public_key, batch }: Handed): string =>
  ['gateway last records', uuid, public_key, batch].join('\n');

/** It names what was handed over, so that no answer fits other records. */
export const lastRecordsAnswerText = (handed: Handed, ack: Ack | null): string =>
  ['gateway last records answer', lastRecordsText(handed), JSON.stringify(ack === null ? null : ackFields(ack))].join(
    '\n',
  );

const ackFields = ({ epoch, lane, seq, gap, diverged }: Ack) => [epoch, lane, seq, gap, diverged];

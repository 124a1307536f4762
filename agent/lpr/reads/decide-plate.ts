/** Decides which plate a read is of, among the readings that the camera offers. Pure. */
import { fitsCountry } from '../../../shared/plate/country-formats.js';
import { foldPlate } from '../../../shared/plate/match-plate.js';
import { isNoPlateWord, normalisePlate, writtenPlate } from '../../../shared/plate/normalise-plate.js';
import type { CameraRead, PlateCandidate } from '../camera.js';

/** A candidate that does not look like the camera's own choice must be nearly as certain as that. */
const CLOSE_CONFIDENCE = 0.1;

export interface ChosenPlate {
  /** The plate as stored. */
  plate: string;
  /** The plate as the camera wrote it. */
  raw_plate: string;
  confidence: number | null;
}

/**
 * Chooses a plate; null: no reading is usable and certain enough, and the vehicle is a sighting. The camera's own choice stands, unless it
 * lacks the form of its country while a candidate has that form. A known plate stands in any form, so that no member is refused because of
 * it; and no character is chosen that the camera did not read.
 * @param known.isKnown whether a normalised plate is whitelisted here, or in the lot
 * @param known.min_confidence 0..1; a read without a confidence is certain enough
 */
export function decidePlate(
  read: Pick<CameraRead, 'raw_plate' | 'confidence' | 'candidates' | 'country_code'>,
  known: { min_confidence: number; isKnown: (plate: string) => boolean },
): ChosenPlate | null {
  const isSure = ({ confidence }: ChosenPlate) => confidence === null || confidence >= known.min_confidence;
  const first = usable(read, known);
  const candidates = (read.candidates ?? []).flatMap((candidate) => usable(candidate, known) ?? []);
  if (first === null) return candidates.filter(isSure).reduce<ChosenPlate | null>(surer, null);
  const chosen =
    betterForm(first, { candidates: candidates.filter(isSure), country: read.country_code, known }) ?? first;
  return isSure(chosen) ? chosen : null;
}

/**
 * A reading that is usable as a plate; null: it is not. A word that stands for "no plate" counts as a plate when a known vehicle has
 * exactly this plate.
 */
function usable(
  { raw_plate, confidence }: PlateCandidate,
  { isKnown }: { isKnown: (plate: string) => boolean },
): ChosenPlate | null {
  const plate = writtenPlate(raw_plate);
  if (plate === null || (isNoPlateWord(plate) && !isKnown(normalisePlate(plate)))) return null;
  return { plate, raw_plate, confidence };
}

function betterForm(
  first: ChosenPlate,
  among: { candidates: ChosenPlate[]; country: string | null; known: { isKnown: (plate: string) => boolean } },
): ChosenPlate | null {
  const { candidates, country, known } = among;
  const compared = normalisePlate(first.plate);
  if (country === null || candidates.length === 0 || fitsCountry(compared, country) !== false) return null;
  if (known.isKnown(compared)) return null;
  const fold = foldPlate(compared);
  const fitting = candidates.filter(({ plate }) => fitsCountry(normalisePlate(plate), country) === true);
  const alike = fitting.filter(({ plate }) => foldPlate(normalisePlate(plate)) === fold);
  const close = fitting.filter((candidate) => isClose(candidate, first));
  return (alike.length > 0 ? alike : close).reduce<ChosenPlate | null>(surer, null);
}

const isClose = (candidate: ChosenPlate, first: ChosenPlate): boolean =>
  candidate.confidence !== null &&
  first.confidence !== null &&
  first.confidence - candidate.confidence <= CLOSE_CONFIDENCE;

/** Chooses between two readings; at the same confidence the earlier one stands. */
function surer(one: ChosenPlate | null, other: ChosenPlate): ChosenPlate {
  return one === null || (other.confidence ?? 0) > (one.confidence ?? 0) ? other : one;
}

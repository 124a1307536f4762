/** Passwords that are guessed first: the common ones, and what is built of them, of keys in a row, of dates and of repetitions. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** What the estimate calls "very guessable": fewer than a million guesses. */
const SCORE_MIN = 2;
/** An estimate takes long for long texts, and no text becomes easier to guess by what follows. */
const JUDGED_CHARS = 100;

/** Made at the first use: it reads a list of 49,000 passwords, which comes with the package and needs no network. */
let estimate: ZxcvbnFactory | undefined;

export function isCommonPassword(password: string): boolean {
  estimate ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return estimate.check(password.slice(0, JUDGED_CHARS)).score < SCORE_MIN;
}

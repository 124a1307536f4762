/** Says findings in words: the command line, the page of the gateway and the cloud's console show the same ones. */
import { DE } from './de.js';
import { EN } from './en.js';
import type { Finding } from './findings.js';
import { HR } from './hr.js';
import { tellFindingIn, type ToldFinding } from './tell-finding.js';

export const DOCTOR_LANGUAGES = { en: EN, de: DE, hr: HR } as const;
export type DoctorLanguage = keyof typeof DOCTOR_LANGUAGES;

export const tellFinding = (finding: Finding, language: DoctorLanguage): ToldFinding =>
  tellFindingIn(finding, DOCTOR_LANGUAGES[language]);

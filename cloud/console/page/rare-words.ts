/** Words that few people meet: they come as scripts of their own, when somebody does. */
import type { DoctorWords } from '../../../shared/doctor/doctor-words.js';
import type { CameraSetupWords } from '../wording/en/camera-setup.js';
import type { MemberDeskWords } from '../wording/en/member-desk.js';
import type { OpeningWords } from '../wording/en/openings.js';
import type { SetupWords } from '../wording/en/setup.js';
import type { ServiceSentences } from '../wording/service-sentences.js';
import { inLanguage, words } from './browser.js';

/** The words of a doctor's findings. */
export const doctorWords = (): Promise<DoctorWords> =>
  inLanguage({
    en: async () => (await import('../../../shared/doctor/en.js')).EN,
    de: async () => (await import('../../../shared/doctor/de.js')).DE,
    hr: async () => (await import('../../../shared/doctor/hr.js')).HR,
  });

/** The words with which a camera is connected. */
export const cameraSetupWords = (): Promise<CameraSetupWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/camera-setup.js')).CAMERA_SETUP_WORDS,
    de: async () => (await import('../wording/de/camera-setup.js')).CAMERA_SETUP_WORDS,
    hr: async () => (await import('../wording/hr/camera-setup.js')).CAMERA_SETUP_WORDS,
  });

/** The words of the guide, and of the forms in which a car park is set up. */
export const loadSetupWords = (): Promise<SetupWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/setup.js')).SETUP_WORDS,
    de: async () => (await import('../wording/de/setup.js')).SETUP_WORDS,
    hr: async () => (await import('../wording/hr/setup.js')).SETUP_WORDS,
  });

/** The words of openings, and of the search over all reads. */
export const loadOpeningWords = (): Promise<OpeningWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/openings.js')).OPENING_WORDS,
    de: async () => (await import('../wording/de/openings.js')).OPENING_WORDS,
    hr: async () => (await import('../wording/hr/openings.js')).OPENING_WORDS,
  });

/** The words of the list of members, and of imports. */
export const loadMemberWords = (): Promise<MemberDeskWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/member-desk.js')).MEMBER_DESK_WORDS,
    de: async () => (await import('../wording/de/member-desk.js')).MEMBER_DESK_WORDS,
    hr: async () => (await import('../wording/hr/member-desk.js')).MEMBER_DESK_WORDS,
  });

/** Loads the words of what the service says about fields: nobody needs them before a form is refused. */
export async function loadServiceWords(): Promise<void> {
  const sentences = await inLanguage<ServiceSentences>({
    en: async () => (await import('../wording/service/en.js')).EN_SERVICE,
    de: async () => (await import('../wording/service/de.js')).DE_SERVICE,
    hr: async () => (await import('../wording/service/hr.js')).HR_SERVICE,
  });
  Object.assign(words.forms.service, sentences);
}

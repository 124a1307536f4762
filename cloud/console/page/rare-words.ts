/** Words that few people meet: they come as scripts of their own, when somebody does. */
import type { DoctorWords } from '../../../shared/doctor/doctor-words.js';
import type { AccountWords } from '../wording/en/account.js';
import type { BrowserAlertWords } from '../wording/en/browser-alerts.js';
import type { CameraSetupWords } from '../wording/en/camera-setup.js';
import type { FaceWords } from '../wording/en/face.js';
import type { GatewayCareWords } from '../wording/en/gateway-care.js';
import type { KioskWords } from '../wording/en/kiosk.js';
import type { MemberFileWords } from '../wording/en/member-file.js';
import type { MemberDeskWords } from '../wording/en/member-desk.js';
import type { OpeningWords } from '../wording/en/openings.js';
import type { ReleaseWords } from '../wording/en/releases.js';
import type { ProfileWords } from '../wording/en/profile.js';
import type { SetupWords } from '../wording/en/setup.js';
import type { ServiceSentences } from '../wording/service-sentences.js';
import { inLanguage, words } from './browser.js';

/** The words of a doctor's findings. */
export const doctorWords = (): Promise<DoctorWords> =>
  inLanguage({
    en: async () => (await import('../../../shared/doctor/en.js')).EN,
    de: async () => (await import('../../../shared/doctor/de.js')).DE,
    hr: async () => (await import('../../../shared/doctor/hr.js')).HR,
    hu: async () => (await import('../../../shared/doctor/hu.js')).HU,
  });

/** The words with which a camera is connected. */
export const cameraSetupWords = (): Promise<CameraSetupWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/camera-setup.js')).CAMERA_SETUP_WORDS,
    de: async () => (await import('../wording/de/camera-setup.js')).CAMERA_SETUP_WORDS,
    hr: async () => (await import('../wording/hr/camera-setup.js')).CAMERA_SETUP_WORDS,
    hu: async () => (await import('../wording/hu/camera-setup.js')).CAMERA_SETUP_WORDS,
  });

/** The words of the guide, and of the forms in which a car park is set up. */
export const loadSetupWords = (): Promise<SetupWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/setup.js')).SETUP_WORDS,
    de: async () => (await import('../wording/de/setup.js')).SETUP_WORDS,
    hr: async () => (await import('../wording/hr/setup.js')).SETUP_WORDS,
    hu: async () => (await import('../wording/hu/setup.js')).SETUP_WORDS,
  });

/** The words of openings, and of the search over all reads. */
export const loadOpeningWords = (): Promise<OpeningWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/openings.js')).OPENING_WORDS,
    de: async () => (await import('../wording/de/openings.js')).OPENING_WORDS,
    hr: async () => (await import('../wording/hr/openings.js')).OPENING_WORDS,
    hu: async () => (await import('../wording/hu/openings.js')).OPENING_WORDS,
  });

/** The words of the account's users, programs and mails. */
export const loadAccountWords = (): Promise<AccountWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/account.js')).ACCOUNT_WORDS,
    de: async () => (await import('../wording/de/account.js')).ACCOUNT_WORDS,
    hr: async () => (await import('../wording/hr/account.js')).ACCOUNT_WORDS,
    hu: async () => (await import('../wording/hu/account.js')).ACCOUNT_WORDS,
  });

/** The words of how the account shows itself. */
export const loadFaceWords = (): Promise<FaceWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/face.js')).FACE_WORDS,
    de: async () => (await import('../wording/de/face.js')).FACE_WORDS,
    hr: async () => (await import('../wording/hr/face.js')).FACE_WORDS,
    hu: async () => (await import('../wording/hu/face.js')).FACE_WORDS,
  });

/** The words of a person's own sign-in and profile. */
export const loadProfileWords = (): Promise<ProfileWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/profile.js')).PROFILE_WORDS,
    de: async () => (await import('../wording/de/profile.js')).PROFILE_WORDS,
    hr: async () => (await import('../wording/hr/profile.js')).PROFILE_WORDS,
    hu: async () => (await import('../wording/hu/profile.js')).PROFILE_WORDS,
  });

/** The words of roll-outs. */
export const loadReleaseWords = (): Promise<ReleaseWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/releases.js')).RELEASE_WORDS,
    de: async () => (await import('../wording/de/releases.js')).RELEASE_WORDS,
    hr: async () => (await import('../wording/hr/releases.js')).RELEASE_WORDS,
    hu: async () => (await import('../wording/hu/releases.js')).RELEASE_WORDS,
  });

/** The words of a gateway's look at itself, and of its reset. */
export const loadGatewayCareWords = (): Promise<GatewayCareWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/gateway-care.js')).GATEWAY_CARE_WORDS,
    de: async () => (await import('../wording/de/gateway-care.js')).GATEWAY_CARE_WORDS,
    hr: async () => (await import('../wording/hr/gateway-care.js')).GATEWAY_CARE_WORDS,
    hu: async () => (await import('../wording/hu/gateway-care.js')).GATEWAY_CARE_WORDS,
  });

/** The words of what the browser tells while nobody looks. */
export const loadBrowserAlertWords = (): Promise<BrowserAlertWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/browser-alerts.js')).BROWSER_ALERT_WORDS,
    de: async () => (await import('../wording/de/browser-alerts.js')).BROWSER_ALERT_WORDS,
    hr: async () => (await import('../wording/hr/browser-alerts.js')).BROWSER_ALERT_WORDS,
    hu: async () => (await import('../wording/hu/browser-alerts.js')).BROWSER_ALERT_WORDS,
  });

/** The words of the screen for a wall. */
export const loadKioskWords = (): Promise<KioskWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/kiosk.js')).KIOSK_WORDS,
    de: async () => (await import('../wording/de/kiosk.js')).KIOSK_WORDS,
    hr: async () => (await import('../wording/hr/kiosk.js')).KIOSK_WORDS,
    hu: async () => (await import('../wording/hu/kiosk.js')).KIOSK_WORDS,
  });

/** The words of files of members. */
export const loadMemberFileWords = (): Promise<MemberFileWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/member-file.js')).MEMBER_FILE_WORDS,
    de: async () => (await import('../wording/de/member-file.js')).MEMBER_FILE_WORDS,
    hr: async () => (await import('../wording/hr/member-file.js')).MEMBER_FILE_WORDS,
    hu: async () => (await import('../wording/hu/member-file.js')).MEMBER_FILE_WORDS,
  });

/** The words of the list of members, and of imports. */
export const loadMemberWords = (): Promise<MemberDeskWords> =>
  inLanguage({
    en: async () => (await import('../wording/en/member-desk.js')).MEMBER_DESK_WORDS,
    de: async () => (await import('../wording/de/member-desk.js')).MEMBER_DESK_WORDS,
    hr: async () => (await import('../wording/hr/member-desk.js')).MEMBER_DESK_WORDS,
    hu: async () => (await import('../wording/hu/member-desk.js')).MEMBER_DESK_WORDS,
  });

/** Loads the words of what the service says about fields: nobody needs them before a form is refused. */
export async function loadServiceWords(): Promise<void> {
  const sentences = await inLanguage<ServiceSentences>({
    en: async () => (await import('../wording/service/en.js')).EN_SERVICE,
    de: async () => (await import('../wording/service/de.js')).DE_SERVICE,
    hr: async () => (await import('../wording/service/hr.js')).HR_SERVICE,
    hu: async () => (await import('../wording/service/hu.js')).HU_SERVICE,
  });
  Object.assign(words.forms.service, sentences);
}

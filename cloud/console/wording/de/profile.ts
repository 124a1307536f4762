/** What the console says in German to a person about their own sign-in and profile. */
import type { ProfileWords } from '../en/profile.js';

export const PROFILE_WORDS: ProfileWords = {
  language: 'Sprache',
  asBrowser: 'Wie dieser Browser',
  who: 'Über Sie',
  phoneHint: 'Leer: es bleibt, wie es ist.',
  password: 'Passwort',
  passwordWhat: 'Ein neues Passwort beendet Ihre Anmeldung überall sonst.',
  present: 'Aktuelles Passwort',
  next: 'Neues Passwort',
  show: 'Zeigen, was ich schreibe',
  changed: 'Ihr Passwort ist geändert.',
  change: 'Passwort ändern',
  here: 'In diesem Browser',
  hereWhat:
    'Beides wird in diesem Browser behalten, auch für die Anmeldung. Was getippt und nicht gespeichert ist, bleibt.',
  theme: 'Aussehen',
  themes: { '': 'Wie dieses Gerät', light: 'Hell', dark: 'Dunkel' },
  reset: {
    forgot: 'Ein neues Passwort per E-Mail',
    forgotWhat:
      'Wenn jemand diese Adresse hat, ist eine E-Mail mit einem Link unterwegs, für jedes Konto dieser Person. Er funktioniert eine Stunde lang.',
    noMail:
      'Dieser Dienst verschickt keine E-Mails. Bitten Sie einen Super-Admin Ihres Kontos um ein neues Passwort, oder wer den Dienst betreibt.',
    send: 'Link senden',
    back: 'Zurück zur Anmeldung',
    title: 'Neues Passwort wählen',
    what: 'Es beendet jede Ihrer Anmeldungen, überall.',
    next: 'Neues Passwort',
    save: 'Passwort setzen',
    done: 'Ihr neues Passwort gilt. Melden Sie sich damit an.',
    broken: 'Dieser Link ist nicht vollständig. Öffnen Sie ihn aus der E-Mail, oder fordern Sie einen neuen an.',
    again: 'Neuen Link anfordern',
  },
  signIns: {
    title: 'Wo Sie angemeldet sind',
    what: 'Auf höchstens zehn Geräten; auf einem weiteren endet die älteste Anmeldung.',
    here: 'dieses',
    unnamed: 'Ein Programm oder eine ältere Konsole',
    since: (time) => `seit ${time}`,
    used: (time) => `zuletzt benutzt etwa ${time}`,
    end: 'Abmelden',
    endTitle: (device) => `${device} abmelden?`,
    endWhat: 'Wer dort arbeitet, muss sich neu anmelden. Was dort getippt und nicht gesendet ist, bleibt dort.',
    endOthers: 'Überall sonst abmelden',
    endOthersTitle: 'Überall sonst abmelden?',
    ended: (count) => (count === 1 ? 'Eine Anmeldung ist beendet.' : `${count} Anmeldungen sind beendet.`),
  },
};

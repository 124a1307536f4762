/** What the console says in English to a person about their own sign-in and profile. */
export const PROFILE_WORDS = {
  language: 'Language',
  asBrowser: 'As this browser has it',
  languageWhat: 'It is kept in this browser. What is typed and not saved stays.',
  who: 'About you',
  phoneHint: 'Empty: it stays as it is.',
  password: 'Password',
  passwordWhat: 'A new password ends your sign-in everywhere else.',
  present: 'Current password',
  next: 'New password',
  show: 'Show what I type',
  changed: 'Your password is changed.',
  change: 'Change the password',
  theme: {
    title: 'Look',
    names: { '': 'As this device has it', light: 'Light', dark: 'Dark' },
    what: 'It is kept in this browser, also for the sign-in form.',
  },
  reset: {
    forgot: 'A new password by mail',
    forgotWhat:
      'If a person has this address, a mail with a link is on its way, for each account that the person is in. It works for an hour.',
    noMail:
      'This service sends no mails. Ask a Super Admin of your account for a new password, or whoever runs the service.',
    send: 'Send the link',
    back: 'Back to the sign-in',
    title: 'Choose a new password',
    what: 'It ends every sign-in of yours, everywhere.',
    next: 'New password',
    save: 'Set the password',
    done: 'Your new password is set. Sign in with it.',
    broken: 'This link is not whole. Open it from the mail, or ask for a new one.',
    again: 'Ask for a new link',
  },
  signIns: {
    title: 'Where you are signed in',
    what: 'On ten devices at most; on one more, the oldest sign-in ends.',
    here: 'this one',
    unnamed: 'A program or an older console',
    since: (time: string) => `since ${time}`,
    used: (time: string) => `last used about ${time}`,
    end: 'Sign out',
    endTitle: (device: string) => `Sign out on ${device}?`,
    endWhat: 'Whoever works there has to sign in again. What was typed there and not sent stays there.',
    endOthers: 'Sign out everywhere else',
    endOthersTitle: 'Sign out everywhere else?',
    ended: (count: number) => (count === 1 ? 'One sign-in is ended.' : `${count} sign-ins are ended.`),
  },
};

export type ProfileWords = typeof PROFILE_WORDS;

/** What the console says in English of what the browser tells while nobody looks at the page. */
export const BROWSER_ALERT_WORDS = {
  title: 'Alerts of this browser',
  what: 'While this browser has the console open, in whichever tab, it can tell you of what happens, also when you look at something else. Only one tab does, once for each thing, and none for what you have in front of you.',
  notice: 'Show notices',
  sound: 'Make a sound',
  tryIt: 'Try it',
  tried: 'That is how it looks and sounds.',
  kinds: {
    waits: 'A vehicle waits',
    trouble: 'A trouble began',
    plate: 'A watched plate was read',
    emergency: 'An emergency began',
  },
  ofAccount: 'The account, such as mails and webhooks',
  kindOf: (kind: string, lot: string) => `${kind}: ${lot}`,
  permission: {
    default: 'The browser has not been allowed to show notices yet. It asks when you choose “Show notices”.',
    denied:
      'The browser refuses notices of this page, because somebody said no to it. Allow them again by the sign in front of the address (Notifications: Allow), and load the page again. Sounds work without it.',
    unsupported:
      'This browser shows no notices of this page: it is too old, or the address does not begin with https. Sounds work without it.',
    failed: 'This browser takes notices of installed apps alone. Sounds work without it.',
  },
  silent: 'The browser keeps the page silent until you click or type something in it once.',
  closed:
    'Nothing is told when no tab of the console is open, or when you are signed out: for that there are plate alerts by mail, and webhooks.',
  vehicle: (plate: string, where: string) => `${plate} waits at ${where}`,
  vehicleUnread: (where: string) => `A vehicle without a legible plate waits at ${where}`,
  plate: (alert: string, plate: string, where: string) => `${alert}: ${plate} at ${where}`,
  emergency: (by: string) => `${by} opened everything`,
  somewhere: 'a camera',
  sample: 'This is a try',
  sampleText: 'Entry camera: AB 123 CD waits',
};

export type BrowserAlertWords = typeof BROWSER_ALERT_WORDS;

/** English. */
import type { MailWords, PageWords } from './words.js';

export const MAIL_WORDS: MailWords = {
  locale: 'en-GB',
  key: {
    subject: ({ account, products }) =>
      products.length === 1 ? `Your key to ${products[0]} (${account})` : `Your keys from ${account}`,
    heading: (products) => (products.length === 1 ? `Your key to ${products[0]}` : 'Your keys'),
    given: ({ account, sender }) =>
      sender === null ? `${account} has given you a key.` : `${sender} of ${account} has given you a key.`,
    goTo: (product) => `Go to ${product}`,
    place: (place) => `Where: ${place}`,
    window: ({ from, to }) => (to === null ? `Valid from ${from}, without an end.` : `Valid from ${from} until ${to}.`),
    howTo: 'The link leads to a page with a button. Nothing moves before you press it.',
    keepPrivate: 'Whoever has the link can use it: do not pass it on.',
    why: (account) =>
      `You get this mail because ${account} entered your address for a key. If you expect none, there is nothing to do.`,
  },
  alert: {
    subject: ({ plate, alert }) => `${plate} was seen (${alert})`,
    heading: (plate) => `${plate} was seen`,
    given: ({ alert, account }) => `A licence plate of the alert “${alert}” of ${account} was read.`,
    labels: {
      time: 'Time',
      plate: 'Licence plate',
      place: 'Place',
      camera: 'Camera',
      direction: 'Direction',
      decision: 'Decision',
    },
    enteredByHand: 'none: a person entered the plate',
    directions: { in: 'driving in', out: 'driving out', undefined: 'not known' },
    decisions: { triggered: 'let through', denied: 'not let through', none: 'none' },
    reasons: {
      debounce: 'the same plate was read a moment before',
      direction_mismatch: 'wrong direction',
      max_capacity: 'no free space',
      no_active_session: 'no entry is known',
      no_tariff: 'not permitted here',
      session_exit: 'end of the stay',
      tariff: 'parks for a fee',
      unknown_direction: 'direction not known',
      whitelist: 'permitted',
    },
    picture: 'Show the picture',
    pictureUntil: (time) => `The picture can be seen until ${time}.`,
    unsubscribe: 'Stop mails of this alert',
    why: (account) => `You get this mail because ${account} entered your address for this alert.`,
  },
  unsubscribe: {
    title: 'Stop mails of an alert',
    question: 'Do you want to receive no more mails of this alert?',
    button: 'Stop the mails',
    done: 'You will receive no more mails of this alert.',
  },
};

export const PAGE_WORDS: PageWords = {
  locale: 'en-GB',
  nameless: 'Access',
  loading: 'One moment …',
  states: {
    opened: 'Open',
    closed: 'Closed',
    error: 'Out of order',
    unknown: 'Open or closed: not known',
    reserved: 'Reserved',
    disabled: 'Switched off',
  },
  unheard: 'It has not been heard of lately, and may not answer.',
  operations: {
    open: 'Open',
    close: 'Close',
    force_close: 'Close anyway',
    stay_open: 'Keep open',
    stay_close: 'Keep closed',
    clear_stay_open: 'No longer keep open',
    clear_stay_close: 'No longer keep closed',
  },
  asking: 'Asking …',
  patience: 'This may take half a minute. Stay on this page.',
  moving: { open: 'Opening …', close: 'Closing …', other: 'One moment …' },
  done: { open: 'Done: it is open.', close: 'Done: it is closed.', other: 'Done.' },
  faults: {
    unreachable: {
      what: 'It could not be reached.',
      todo: 'Wait half a minute and try again. Otherwise ask the people on site.',
    },
    busy: { what: 'Somebody else is using it right now.', todo: 'Wait until it stands still, then try again.' },
    jammed: { what: 'It is jammed.', todo: 'Ask the people on site for help.' },
    car_on_top: { what: 'A vehicle is in the way.', todo: 'Wait until it has driven on, then try again.' },
    sensor_dirty: { what: 'It cannot see whether the way is clear.', todo: 'Ask the people on site for help.' },
    refused: { what: 'That did not work.', todo: 'Ask the people on site for help.' },
    no_remote_control: { what: 'It may not be operated from afar.', todo: 'Ask whoever gave you the link.' },
    too_often: { what: 'That was too often.', todo: 'Wait a minute, then try again.' },
    link: { what: 'This link does not work, or works no longer.', todo: 'Ask whoever gave it to you for a new one.' },
    no_network: {
      what: 'There is no connection to the service.',
      todo: 'Check the network of your phone, then try again.',
    },
    service: { what: 'The service has a problem.', todo: 'Try again in a minute. Otherwise ask the people on site.' },
    page: {
      what: 'This page does not work in this browser.',
      todo: 'Open the link in another browser. Otherwise ask the people on site.',
    },
  },
  tryAgain: 'Try again',
  valid: (to) => (to === null ? 'Valid without an end' : `Valid until ${to}`),
  notYet: (from) => `This link works from ${from}.`,
  ended: (at) => `This link worked until ${at}.`,
};

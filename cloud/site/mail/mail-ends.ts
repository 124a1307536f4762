/** Why somebody ended a mail before it was sent. They stand in `last_error`, where no mail server's words are without saying whose they are. */

export const DROPPED = 'An operator of the service dropped it';

/** It brought nothing that opens any more. It is not tried again: who gets the key again is sent another mail. */
export const WITHDRAWN = 'Its key was blocked or ended before it was sent';

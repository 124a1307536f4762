/** What the console says in Croatian of a gateway's look at itself, and of its reset. */
import type { GatewayCareWords } from '../en/gateway-care.js';

export const GATEWAY_CARE_WORDS: GatewayCareWords = {
  doctor: {
    states: { needsYou: 'Treba vas', unknown: 'Nije poznato', ok: 'U redu' },
    counted: (state, n) => `${state}: ${n}`,
    looked: (at, age) => `Pregledano ${at}, prije ${age}`,
    was: (age) => `bilo je u redu prije ${age}`,
    notLooked: 'nije se moglo provjeriti',
    old: 'Izvještaj je star pa se za ono što je tada bilo u redu kaže da nije poznato. Sljedeći korak: „Zatraži izvještaj”.',
    alone:
      'Pristupnik nije povezan pa se za ono što je tada bilo u redu sada ne zna. Sljedeći korak: provjerite napajanje i mrežu; stranica samog uređaja može ga pregledati i bez mreže.',
    notLookedNext:
      'Sljedeći korak: zatražite izvještaj još jednom. Ako ostane tako, otvorite stranicu samog uređaja, koja može provjeriti više.',
    noStep: 'Za ovo nije poznat korak. Sljedeći korak: stranica iza naziva nalaza.',
    okNext: 'Ne treba ništa učiniti.',
  },
  reset: {
    button: 'Vrati na početak',
    title: (name) => `Vratiti ${name} na početak?`,
    intro:
      'Vraćanje na početak zauvijek odvaja uređaj od ovoga pristupnika: odmah ga se više ne pušta, a izbrisat će se kad se sljedeći put javi, makar i za nekoliko tjedana.',
    lostTitle: 'Gubi se',
    lost: [
      'Na uređaju: njegov identitet, registracije, slike, ključevi i postavke.',
      'Ono što je zabilježio, a još nije poslao: čitanja, boravci, otvaranja, slike.',
      'Njegova veza: rampe i vrata do kojih dopire samo ovaj pristupnik ne otvara ni registracija ni ova konzola.',
    ],
    keptTitle: 'Ostaje',
    kept: [
      'Ovdje: pristupnik s nazivom, rampe, vrata, kamere, članovi, tarife i sve što je poslao.',
      'Telefoni s ključem otvaraju rampe i vrata kao i dosad, samo Bluetoothom.',
      'Softver uređaja i najstarije izdanje koje prihvaća.',
    ],
    onSiteTitle: 'Netko na licu mjesta',
    onSite: [
      'Za samo vraćanje na početak nitko nije potreban.',
      'Da bi rampe ponovno radile, netko mora biti kod uređaja ili donijeti drugi: dobiva novi kôd ovoga pristupnika.',
      'Kamerama koje šalju uređaju poslije možda treba nova adresa (Uređaji, Kamere).',
    ],
    nothingWaits: 'Na uređaju ništa ne čeka, prema zadnjoj dojavi.',
    waiting: (n) => `Na uređaju čeka i gubi se zapisa: ${n}, prema zadnjoj dojavi.`,
    waitingUnknown: 'Koliko toga čeka na uređaju, nije poznato: nije javio ili nije povezan.',
    queueOf: (n, age) =>
      `Prije ${age} na uređaju je čekalo zapisa: ${n}. Nije povezan pa ih sada može biti više; svi se gube.`,
    type: (name) => `Za nastavak upišite naziv: ${name}`,
    wrong: 'To nije njegov naziv.',
    yes: 'Vrati pristupnik na početak',
    done: (name) => `${name} više nema uređaj. Čeka uređaj i novi kôd.`,
  },
};

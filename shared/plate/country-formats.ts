/**
 * The plate formats of countries, as data. They only help to choose among the candidates that a camera read. A plate in another format
 * (personal, old, diplomatic, temporary) is still a plate. Only the formats of most vehicles are listed; regional codes are not, because they
 * change.
 *
 * A format is written in groups of `L` (a letter) and `D` (a digit), each repeated (`LL`) or with a count (`L1-3`), without the separators of
 * the plate. `source`: the rule or authority that defines the format.
 */

interface CountryFormats {
  forms: readonly string[];
  source: string;
}

/** By ISO 3166-1 alpha-2 code. */
export const COUNTRY_FORMATS: Readonly<Record<string, CountryFormats>> = {
  AD: { forms: ['LDDDD'], source: 'Reglament de matriculació de vehicles, Govern d’Andorra' },
  AL: { forms: ['LLDDDLL'], source: 'Drejtoria e Përgjithshme e Shërbimeve të Transportit Rrugor' },
  AT: { forms: ['L1-2D1-5L1-3', 'L2-7D1-5'], source: 'Kraftfahrgesetz § 48, KDV § 26' },
  BA: { forms: ['LDDLDDD'], source: 'Pravilnik o registrovanju vozila, Bosna i Hercegovina (2009)' },
  BE: {
    forms: ['DLLLDDD', 'LLLDDD', 'DDDLLL'],
    source: 'Arrêté royal du 20 juillet 2001, Service public fédéral Mobilité',
  },
  BG: { forms: ['L1-2DDDDLL'], source: 'Наредба I-45 на МВР' },
  BY: { forms: ['DDDDLLD'], source: 'СТБ 914' },
  CH: { forms: ['LLD1-6'], source: 'Verkehrszulassungsverordnung Art. 83' },
  CY: { forms: ['LLLDDD'], source: 'Road Transport Department, Cyprus' },
  CZ: { forms: ['DLDDDDD', 'DLLDDDD', 'LLDDDLL'], source: 'Vyhláška č. 343/2014 Sb.' },
  DE: { forms: ['L2-5D1-4', 'L2-5D1-4L'], source: 'Fahrzeug-Zulassungsverordnung, Anlage 2' },
  DK: { forms: ['LLDDDDD'], source: 'Registreringsbekendtgørelsen, Motorstyrelsen' },
  EE: { forms: ['DDDLLL', 'DDLLL'], source: 'Transpordiamet, Sõidukite registreerimise kord' },
  ES: { forms: ['DDDDLLL', 'L1-2DDDDL1-2'], source: 'Reglamento General de Vehículos, anexo XVIII' },
  FI: { forms: ['LLLD1-3', 'LLD1-3'], source: 'Traficom, ajoneuvojen rekisterikilvet' },
  FO: { forms: ['LLDDD'], source: 'Akstovan, Føroyar' },
  FR: { forms: ['LLDDDLL', 'D1-4L2-3DD', 'D1-4L2-3DL'], source: 'Arrêté du 9 février 2009' },
  GB: { forms: ['LLDDLLL', 'LD1-3LLL', 'LLLD1-3L', 'L1-3D1-4', 'D1-4L1-3'], source: 'DVLA, leaflet INF104' },
  GG: { forms: ['D1-5', 'LLD1-4'], source: 'Driver and Vehicle Licensing, States of Guernsey' },
  GI: { forms: ['LD1-4L', 'LD1-5'], source: 'Driver and Vehicle Licensing Department, HM Government of Gibraltar' },
  GR: { forms: ['LLLDDDD'], source: 'Υπουργείο Υποδομών και Μεταφορών' },
  HR: { forms: ['LLD3-4L1-2'], source: 'Pravilnik o registraciji i označavanju vozila' },
  HU: { forms: ['LLLDDD', 'LLLLDDD'], source: '326/2011. (XII. 28.) Korm. rendelet' },
  IE: { forms: ['D2-3L1-2D1-6'], source: 'Vehicle Registration and Taxation Regulations' },
  IM: { forms: ['LLLD1-3L', 'L2-3D1-4', 'D1-4L2-3'], source: 'Vehicle Registration, Isle of Man Government' },
  IS: { forms: ['LLDDD', 'LLLDD'], source: 'Samgöngustofa, reglugerð um skráningu ökutækja' },
  IT: { forms: ['LLDDDLL', 'LLDDDDDL'], source: 'Codice della strada art. 100, DPR 495/1992 art. 256' },
  JE: { forms: ['LD1-6', 'LLLD1-3'], source: 'Driver and Vehicle Standards, Government of Jersey' },
  LI: { forms: ['LLD1-5'], source: 'Verkehrszulassungsverordnung, Liechtenstein' },
  LT: { forms: ['LLLDDD'], source: 'Regitra' },
  LU: { forms: ['LLDDDD', 'D4-5'], source: 'Règlement grand-ducal du 17 juin 2003' },
  LV: { forms: ['LLD1-4'], source: 'CSDD, Ceļu satiksmes likums' },
  MC: { forms: ['DDDD', 'LDDD', 'DDDL'], source: 'Service des Titres de Circulation, Monaco' },
  MD: { forms: ['LLLDDD', 'LLDDD'], source: 'Agenția Servicii Publice, Moldova' },
  ME: { forms: ['LLLLD2-3'], source: 'Pravilnik o registraciji vozila, Crna Gora' },
  MK: { forms: ['LLDDDDLL'], source: 'Министерство за внатрешни работи, Северна Македонија' },
  MT: { forms: ['LLLDDD'], source: 'Transport Malta' },
  NL: {
    forms: [
      'LLDDDD',
      'DDDDLL',
      'DDLLDD',
      'LLDDLL',
      'LLLLDD',
      'DDLLLL',
      'DDLLLD',
      'DLLLDD',
      'LLDDDL',
      'LDDDLL',
      'LLLDDL',
      'LDDLLL',
      'DLLDDD',
      'DDDLLD',
    ],
    source: 'RDW, Regeling kentekens en kentekenplaten',
  },
  NO: { forms: ['LLD4-5'], source: 'Kjøretøyforskriften, Statens vegvesen' },
  PL: {
    forms: ['L2-3D4-5', 'L2-3D1-4L1-3', 'L2-3LD1-3L1-2', 'L2-3DLDD', 'L2-3DDLD'],
    source: 'Rozporządzenie w sprawie rejestracji i oznaczania pojazdów',
  },
  PT: { forms: ['LLDDDD', 'DDDDLL', 'DDLLDD', 'LLDDLL'], source: 'Decreto-Lei n.º 54/2005, Decreto-Lei n.º 2/2020' },
  RO: { forms: ['LLDDLLL', 'LD2-3LLL'], source: 'OMAI nr. 1501/2006' },
  RS: { forms: ['LLD3-5LL'], source: 'Правилник о регистрацији моторних возила' },
  RU: { forms: ['LDDDLLD2-3', 'LLD5-7'], source: 'ГОСТ Р 50577-2018' },
  SE: { forms: ['LLLDDD', 'LLLDDL'], source: 'Transportstyrelsen, TSFS 2015:63' },
  SI: {
    forms: ['LLL1-2D2-3', 'LLD1-3L1-3', 'LLD4-6', 'LLLDDLL', 'LLDLDD'],
    source: 'Pravilnik o registraciji motornih in priklopnih vozil',
  },
  SK: { forms: ['LLDDDLL'], source: 'Vyhláška č. 131/2018 Z. z.' },
  SM: { forms: ['LD1-4'], source: 'Ufficio Registro Automezzi, San Marino' },
  TR: { forms: ['DDLD4-5', 'DDLLD3-4', 'DDLLLD2-3'], source: 'Karayolları Trafik Yönetmeliği' },
  UA: { forms: ['LLDDDDLL'], source: 'ДСТУ 4278' },
  VA: { forms: ['LLLD1-5', 'LLD1-5'], source: 'Governatorato dello Stato della Città del Vaticano' },
  XK: { forms: ['DDDDDLL'], source: 'Ministria e Punëve të Brendshme, Kosova' },
};

/** A format does not correct confused letters and digits: each character counts as the camera read it. */
const CLASS: Readonly<Record<string, string>> = { L: '\\p{L}', D: '\\p{Nd}' };
const GROUP = /([LD])(?:(\d)(?:-(\d))?)?/g;

const compiled = new Map<string, RegExp | null>();

function patternOf(country: string): RegExp | null {
  let pattern = compiled.get(country);
  if (pattern === undefined) {
    const forms = Object.hasOwn(COUNTRY_FORMATS, country) ? COUNTRY_FORMATS[country]?.forms : undefined;
    pattern = forms === undefined ? null : new RegExp(`^(?:${forms.map(patternOfForm).join('|')})$`, 'u');
    // Only countries of the table are kept, so that a camera cannot fill the memory with invented codes.
    if (pattern !== null) compiled.set(country, pattern);
  }
  return pattern;
}

function patternOfForm(form: string): string {
  return form.replaceAll(GROUP, (_, kind: string, least?: string, most?: string) => {
    const count = least === undefined ? '' : `{${least}${most === undefined ? '' : `,${most}`}}`;
    return `${CLASS[kind] ?? ''}${count}`;
  });
}

/**
 * Says whether a normalised plate matches a format of the country; null: its formats are not known.
 * @param country ISO 3166-1 alpha-2
 */
export function fitsCountry(plate: string, country: string): boolean | null {
  const pattern = patternOf(country);
  return pattern === null ? null : pattern.test(plate);
}

/** Parses the countries that cameras write into codes of ISO 3166-1 alpha-2. */

/** The alpha-3 codes that cameras write, as pairs of alpha-2 and alpha-3. */
const ALPHA_2_BY_ALPHA_3: Record<string, string> = Object.fromEntries(
  (
    'AD AND,AE ARE,AL ALB,AM ARM,AR ARG,AT AUT,AU AUS,AZ AZE,BA BIH,BE BEL,BG BGR,BH BHR,BR BRA,BY BLR,CA CAN,CH CHE,' +
    'CL CHL,CN CHN,CO COL,CY CYP,CZ CZE,DE DEU,DK DNK,DZ DZA,EC ECU,EE EST,EG EGY,ES ESP,FI FIN,FO FRO,FR FRA,GB GBR,' +
    'GE GEO,GI GIB,GR GRC,HK HKG,HR HRV,HU HUN,ID IDN,IE IRL,IL ISR,IN IND,IQ IRQ,IR IRN,IS ISL,IT ITA,JO JOR,JP JPN,' +
    'KG KGZ,KH KHM,KR KOR,KW KWT,KZ KAZ,LA LAO,LB LBN,LI LIE,LT LTU,LU LUX,LV LVA,LY LBY,MA MAR,MC MCO,MD MDA,ME MNE,' +
    'MK MKD,MM MMR,MN MNG,MO MAC,MT MLT,MX MEX,MY MYS,NG NGA,NL NLD,NO NOR,NZ NZL,OM OMN,PE PER,PH PHL,PK PAK,PL POL,' +
    'PS PSE,PT PRT,PY PRY,QA QAT,RO ROU,RS SRB,RU RUS,SA SAU,SE SWE,SG SGP,SI SVN,SK SVK,SM SMR,SY SYR,TH THA,TJ TJK,' +
    'TM TKM,TN TUN,TR TUR,TW TWN,UA UKR,US USA,UY URY,UZ UZB,VA VAT,VE VEN,VN VNM,XK XKX,YE YEM,ZA ZAF,XK KOV,AD ADR'
  )
    .split(',')
    .map((pair) => [pair.slice(3), pair.slice(0, 2)]),
);

/** Parses an alpha-2 or alpha-3 code in any case; null: the text is neither. */
export function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase();
  if (/^[A-Z]{2}$/.test(code)) return code;
  return ALPHA_2_BY_ALPHA_3[code] ?? null;
}

/**
 * The words that cameras write for a vehicle without a plate, as data. `word` is in the normalised form; with `written`
 * it is in the form that the camera wrote, in capitals. `source` names the public document or code that shows who
 * writes it. Words without a source were added by our own judgement: no vehicle has such a plate.
 */
export const NO_PLATE_WORDS: readonly { word: string; written?: true; source: string | null }[] = [
  {
    word: 'UNKNOWN',
    source: 'Hikvision ISAPI, `licensePlate` of EventNotificationAlert; programs that take it leave it out',
  },
  { word: 'NOPLATE', source: 'Genetec Security Center, "Investigating NOPLATE reads": what AutoVu cameras write' },
  { word: 'UNLICENSED', source: 'Dahua: rroller/dahua, pull request 648, drops it and `--` as values for no plate' },
  { word: 'NOTDEFINED', source: 'Intellect (ITV), `plate` of CAR_PLATE where none was recognised' },
  { word: 'NULL', source: 'programs of road checkpoints take it for no plate, beside `-` and 无车牌' },
  { word: '无', source: 'Qianyi and Zhenshi, `license` of PlateResult in their HTTP protocol, written `_无_`' },
  { word: '无牌', source: 'programs of road checkpoints' },
  { word: '无车牌', source: 'programs of road checkpoints; engines that recognise plates' },
  { word: '未识别车牌', source: 'programs of work orders and weighbridges store it where a plate would stand' },
  { word: 'NOTDETECTED', source: null },
  { word: 'NONE', source: null },
  { word: 'N/A', written: true, source: null },
];

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/**
 * The parts of which cameras put together that there is no plate, or that it could not be read, in the normalised form and as parts of a
 * pattern: `NO PLATE DETECTED`, `车牌未识别`, `KEIN KENNZEICHEN`. They are of languages in which cameras write, by our own judgement: no vehicle
 * has a plate that is put together of them. No part is put together of others, so that a text can be taken apart in one way only.
 */
export const NO_PLATE_PARTS = {
  /** Those that say it alone. */
  alone: wordsOf(`
    UNKNOWN UNLICENSED UNREGISTERED UNDETECTED UNREADABLE UNRECOGNI[SZ]ED UNIDENTIFIED ILLEGIBLE UNBEKANNT(?:ES)?
    NEPOZNAT[AO] INCONNUE? SCONOSCIUT[AO] DESCONOCID[AO] DESCONHECID[AO] НЕИЗВЕСТН(?:ЫЙ|О) PLAKASIZ なし
  `),
  /** Those that deny another part. */
  denying: wordsOf(`
    NOT? NONE? NULL WITHOUT MISSING EMPTY INVALID FAILED CANNOT UNREAD KEINE? NICHT OHNE NEMA NIJE BEZ BRAK YOK SIN SEM
    SANS SENZA AUCUNE NESSUNA НЕТ? БЕЗ بدون غير لا [无無未沒没不] 失[败敗] 없음 불가 실패 [미무]
  `),
  other: wordsOf(`
    PLATES? LICEN[SC]E NUMBER VEHICLE CAR FOUND DETECT(?:ED|ION) DEFINED READ(?:ABLE)? RECOGNI(?:[SZ]ED|TION) IDENTIFIED
    AVAILABLE VISIBLE RESULT KENNZEICHEN NUMMERNSCHILD ERKANNT LESBAR GEFUNDEN TABLIC[AEY]? REGISTRACIJ[AE] OZNAK[AE]
    PREPOZNAT[AO] O?PROČITANO OČITANO PLAKA PLACA MATR[IÍ]CULA PLAQUE IMMATRICULATION TARGA НОМЕРА? РАСПОЗНАН ОПРЕДЕЛЕН
    لوحة معروفة? 번호판? 차량 인식 [车車牌照辆輛号號码碼识識别別辨认認检檢测測出法读讀読取到知能可有成功结結果的明] ナンバー プレート
  `),
};

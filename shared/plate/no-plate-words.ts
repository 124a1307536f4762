/**
 * What cameras write for a vehicle without a plate, as data. `word` is in the normalised form; with `written` it is in the form that the
 * camera wrote, in capitals. `source` names the public document or code that shows who writes it. Words without a source were added by our
 * own judgement: no vehicle has such a plate.
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
  { word: '无牌车', source: null },
  { word: '無車牌', source: null },
  { word: '未识别', source: null },
];

/**
 * What cameras write for a vehicle without a plate, as data. `word`: in the form that is compared, or with `written` in the form that the camera
 * wrote, in capitals. `source`: whose cameras or services write it.
 */
export const NO_PLATE_WORDS: readonly { word: string; written?: true; source: string }[] = [
  { word: 'UNKNOWN', source: 'Hikvision ISAPI, `licensePlate` of EventNotificationAlert; ONVIF analytics' },
  { word: 'NOPLATE', source: 'Hikvision ISAPI, `licensePlate` of EventNotificationAlert' },
  { word: 'UNLICENSED', source: 'Dahua ITSAPI, `PlateNumber`' },
  { word: 'NOTDETECTED', source: 'services that recognise plates, beside an empty list of results' },
  { word: 'NULL', source: 'programs that write a missing value as text' },
  { word: 'NONE', source: 'programs that write a missing value as text' },
  { word: 'N/A', written: true, source: 'programs that write a missing value as text' },
  { word: '无', source: 'Zhenshi, `license`, written `_无_`' },
  { word: '无车牌', source: 'Hikvision and Dahua in Chinese' },
  { word: '无牌车', source: 'Dahua in Chinese' },
  { word: '無車牌', source: 'Hikvision in traditional Chinese' },
  { word: '未识别', source: 'Uniview and Hikvision in Chinese' },
  { word: '未知', source: 'Dahua in Chinese' },
];

/**
 * A Hikvision camera's post for one vehicle: an EventNotificationAlert with its pictures as one multipart body. Written
 * after captures of such cameras (element order, `form-data;name="x";filename="x"`, dashes of the boundary).
 */
import type { CarParkCamera } from '../car-park.js';
import type { CameraEvent, PushRequest, VehicleRead } from './camera-vendor.js';

const BOUNDARY = '---------------------------7e13971310878';
const CONFIDENCE_DEFAULT = 0.97;

/** The vendor knows more kinds of vehicle than the interface; these are the kinds that the interface's types stand for. */
const VEHICLE_TYPE_WORDS = {
  bus: 'largeBus',
  car: 'vehicle',
  motorcycle: 'twoWheelVehicle',
  truck: 'truck',
  van: 'van',
} as const;

/** Makes travel as numbers of the vendor's SDK (VLR_VEHICLE_CLASS); 0 is any other. */
const MAKE_NUMBERS: Record<string, number> = {
  volkswagen: 1,
  bmw: 3,
  honda: 4,
  peugeot: 5,
  toyota: 6,
  ford: 7,
  nissan: 8,
  audi: 9,
  mazda: 10,
  chevrolet: 11,
  citroen: 12,
  hyundai: 13,
  kia: 15,
  mitsubishi: 17,
  skoda: 18,
  volvo: 21,
  lexus: 22,
  fiat: 23,
  suzuki: 27,
  subaru: 32,
  mercedes: 41,
  renault: 47,
};

/** Two letters of ISO 3166 -> the vendor's number and three letters. */
const COUNTRIES: Record<string, { index: number; abbreviation: string }> = {
  CZ: { index: 1, abbreviation: 'CZE' },
  FR: { index: 2, abbreviation: 'FRA' },
  DE: { index: 3, abbreviation: 'DEU' },
  ES: { index: 4, abbreviation: 'ESP' },
  IT: { index: 5, abbreviation: 'ITA' },
  NL: { index: 6, abbreviation: 'NLD' },
  PL: { index: 7, abbreviation: 'POL' },
  SK: { index: 8, abbreviation: 'SVK' },
  BE: { index: 13, abbreviation: 'BEL' },
  BG: { index: 14, abbreviation: 'BGR' },
  DK: { index: 15, abbreviation: 'DNK' },
  FI: { index: 16, abbreviation: 'FIN' },
  GB: { index: 17, abbreviation: 'GBR' },
  GR: { index: 18, abbreviation: 'GRC' },
  HR: { index: 19, abbreviation: 'HRV' },
  HU: { index: 20, abbreviation: 'HUN' },
  NO: { index: 24, abbreviation: 'NOR' },
  PT: { index: 25, abbreviation: 'PRT' },
  RO: { index: 26, abbreviation: 'ROU' },
  RS: { index: 27, abbreviation: 'SRB' },
  AT: { index: 37, abbreviation: 'AUT' },
  BA: { index: 38, abbreviation: 'BIH' },
  SE: { index: 43, abbreviation: 'SWE' },
  CH: { index: 44, abbreviation: 'CHE' },
  SI: { index: 47, abbreviation: 'SVN' },
  ME: { index: 48, abbreviation: 'MNE' },
};
const COUNTRY_UNKNOWN = { index: 0, abbreviation: 'NON' };

/** The direction of a vehicle before the camera: forward is towards it. */
export type HikvisionDirection = 'forward' | 'reverse' | 'unknown';

/**
 * The inverse of the rule for directions (REST contract, "Direction"): at a camera for front plates, vehicles in its own direction
 * come towards it; at one for rear plates they drive away; `in/out` counts as `in`.
 * Without a wish the vehicle goes in the camera's own direction, which a camera for both directions does not have.
 */
export function hikvisionDirection(
  camera: Pick<CarParkCamera, 'lpr_position' | 'plate_side'>,
  wish: VehicleRead['direction'],
): HikvisionDirection {
  const direction = wish ?? (camera.lpr_position === 'in/out' ? 'undefined' : camera.lpr_position);
  if (direction === 'undefined') return 'unknown';
  const ownWay = direction === (camera.lpr_position === 'out' ? 'out' : 'in');
  return ownWay === (camera.plate_side === 'front') ? 'forward' : 'reverse';
}

/** The camera's wall clock as it writes it: local time of its zone with the offset. */
export function cameraTime(wallMs: number, timezone: string): { iso: string; digits: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'longOffset',
  }).formatToParts(wallMs);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const date = [part('year'), part('month'), part('day')];
  const time = [part('hour'), part('minute'), part('second')];
  // "GMT+02:00", and plain "GMT" for UTC itself.
  const offset = part('timeZoneName').slice('GMT'.length) || '+00:00';
  return {
    iso: `${date.join('-')}T${time.join(':')}.${part('fractionalSecond')}${offset}`,
    digits: [...date, ...time, part('fractionalSecond')].join(''),
  };
}

/** Lists the parts of an event, in the order that the cameras write. */
export const hikvisionParts = (
  camera: CarParkCamera,
  event: CameraEvent,
  options: { macAddress: string; retransmission: boolean },
) => [
  { name: 'anpr.xml', type: 'application/xml', bytes: Buffer.from(alertXml(camera, event, options)) },
  { name: 'licensePlatePicture.jpg', type: 'image/jpeg', bytes: event.pictures.plate },
  { name: 'detectionPicture.jpg', type: 'image/jpeg', bytes: event.pictures.scene },
];

/** The whole request body, with its parts in the order that the cameras write. */
export function encodeHikvisionEvent(
  camera: CarParkCamera,
  event: CameraEvent,
  options: { macAddress: string; retransmission: boolean },
): PushRequest {
  const parts = hikvisionParts(camera, event, options).flatMap(({ name, type, bytes }) => [
    Buffer.from(
      `--${BOUNDARY}\r\n` +
        `Content-Disposition: form-data;name="${name}";filename="${name}"\r\n` +
        `Content-Type: ${type}\r\n` +
        `Content-Length: ${bytes.length}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  };
}

function alertXml(
  camera: CarParkCamera,
  event: CameraEvent,
  { macAddress, retransmission }: { macAddress: string; retransmission: boolean },
): string {
  const { iso } = cameraTime(event.wallMs, camera.timezone);
  const country = COUNTRIES[event.read.country_code?.toUpperCase() ?? ''] ?? COUNTRY_UNKNOWN;
  const address = URL.canParse(camera.address) ? new URL(camera.address) : null;
  return `<?xml version="1.0" encoding="UTF-8"?>
<EventNotificationAlert version="2.0" xmlns="http://www.hikvision.com/ver20/XMLSchema">
<ipAddress>${escapeXml(address?.hostname ?? '')}</ipAddress>
<portNo>${address?.port || 80}</portNo>
<protocol>HTTP</protocol>
<macAddress>${macAddress}</macAddress>
<channelID>1</channelID>
<dateTime>${iso}</dateTime>
<activePostCount>1</activePostCount>
<eventType>ANPR</eventType>
<eventState>active</eventState>
<eventDescription>ANPR</eventDescription>
<channelName>${escapeXml(camera.name)}</channelName>
${anprXml(camera, event, country.index)}
<UUID>${event.uuid}</UUID>
<picNum>2</picNum>
<monitoringSiteID></monitoringSiteID>
<isDataRetransmission>${retransmission}</isDataRetransmission>
<countryAbbreviation>${country.abbreviation}</countryAbbreviation>
</EventNotificationAlert>
`;
}

function anprXml(camera: CarParkCamera, { read, pictures, wallMs, uuid }: CameraEvent, country: number): string {
  const { digits } = cameraTime(wallMs, camera.timezone);
  const confidence = Math.round((read.confidence ?? CONFIDENCE_DEFAULT) * 100);
  const plate = escapeXml(read.plate);
  const thousandths = Object.entries({
    X: pictures.plateBox.x,
    Y: pictures.plateBox.y,
    width: pictures.plateBox.width,
    height: pictures.plateBox.height,
  }).map(([name, fraction]) => `<${name}>${Math.round(fraction * 1000)}</${name}>`);
  const pictureInfo = (name: string, number: number, rectangle: string) =>
    `<pictureInfo>
<fileName>${name}.jpg</fileName>
<type>${name}</type>
<dataType>0</dataType>
<picRecogMode>1</picRecogMode>
<absTime>${digits}</absTime>
${rectangle}<pId>${digits}${uuid.replaceAll('-', '').slice(0, 12)}${number}</pId>
</pictureInfo>`;
  return `<ANPR>
<country>${country}</country>
<licensePlate>${plate}</licensePlate>
<line>1</line>
<direction>${hikvisionDirection(camera, read.direction)}</direction>
<confidenceLevel>${confidence}</confidenceLevel>
<plateType>unknown</plateType>
<plateColor>unknown</plateColor>
<licenseBright>0</licenseBright>
<dangmark>no</dangmark>
<twoWheelVehicle>${read.type === 'motorcycle' ? 'yes' : 'no'}</twoWheelVehicle>
<threeWheelVehicle>no</threeWheelVehicle>
<plateCharBelieve>${Array.from(read.plate, () => confidence).join(',')}</plateCharBelieve>
<vehicleType>${VEHICLE_TYPE_WORDS[read.type ?? 'car']}</vehicleType>
<detectDir>8</detectDir>
<detectType>0</detectType>
<alarmDataType>0</alarmDataType>
<vehicleInfo>
<index>1</index>
<colorDepth>2</colorDepth>
<color>${escapeXml(read.color ?? pictures.color)}</color>
<length>0</length>
<vehicleLogoRecog>${MAKE_NUMBERS[read.make?.toLowerCase() ?? ''] ?? 0}</vehicleLogoRecog>
<vehileSubLogoRecog>0</vehileSubLogoRecog>
<vehileModel>0</vehileModel>
</vehicleInfo>
<pictureInfoList>
${pictureInfo('licensePlatePicture', 1, '')}
${pictureInfo('detectionPicture', 2, `<plateRect>${thousandths.join('')}</plateRect>\n`)}
</pictureInfoList>
<originalLicensePlate>${plate}</originalLicensePlate>
<CRIndex>${country}</CRIndex>
<vehicleListName>otherList</vehicleListName>
<plateSize>0</plateSize>
</ANPR>`;
}

const XML_ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of an XML element. */
export function escapeXml(raw: string): string {
  return raw.replace(/[&<>"]/g, (character) => XML_ESCAPES[character] ?? character);
}

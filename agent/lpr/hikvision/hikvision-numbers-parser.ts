/** Decodes the numbers in Hikvision's events: they are enumerations of the vendor's SDK, from 1; 0 stands for any other. */

/** Countries of Europe and its neighbours, as alpha-2. Others are known by their abbreviation only. */
const COUNTRIES = (
  'CZ FR DE ES IT NL PL SK BY MD RU UA BE BG DK FI GB GR HR HU IL LU MK NO PT RO RS AZ GE KZ LT TM UZ LV EE AL AT BA IE ' +
  'IS VA MT SE CH CY TR SI'
).split(' ');

/** Makes (VLR_VEHICLE_CLASS). Newer firmwares number makes from 1024 in tables that differ; those remain unknown. */
const MAKES = (
  'Volkswagen,Buick,BMW,Honda,Peugeot,Toyota,Ford,Nissan,Audi,Mazda,Chevrolet,Citroen,Hyundai,Chery,Kia,Roewe,' +
  'Mitsubishi,Skoda,Geely,Zhonghua,Volvo,Lexus,Fiat,Emgrand,Dongfeng,BYD,Suzuki,Jinbei,Haima,Wuling,JAC,Subaru'
).split(',');

/** The country of the `country` index, or null. */
export function hikvisionCountry(index: number): string | null {
  return COUNTRIES[index - 1] ?? null;
}

/** The make of the `vehicleLogoRecog` number, or null. */
export function hikvisionMake(number: number): string | null {
  return MAKES[number - 1] ?? OTHER_MAKES[number] ?? null;
}

const OTHER_MAKES: Record<number, string> = { 41: 'Mercedes', 47: 'Renault' };

/** Decodes the numbers in Hikvision's events: enumerations of the vendor's SDK that begin at 1; 0 stands for anything else. */

/** Countries of Europe and its neighbours, as alpha-2. Other countries are known only by their abbreviation. */
const COUNTRIES = (
  'CZ FR DE ES IT NL PL SK BY MD RU UA BE BG DK FI GB GR HR HU IL LU MK NO PT RO RS AZ GE KZ LT TM UZ LV EE AL AT BA IE ' +
  'IS VA MT SE CH CY TR SI'
).split(' ');

/** Makes (VLR_VEHICLE_CLASS). Newer firmwares number makes from 1024 in tables that differ; those makes stay unknown. */
const MAKES = (
  'Volkswagen,Buick,BMW,Honda,Peugeot,Toyota,Ford,Nissan,Audi,Mazda,Chevrolet,Citroen,Hyundai,Chery,Kia,Roewe,' +
  'Mitsubishi,Skoda,Geely,Zhonghua,Volvo,Lexus,Fiat,Emgrand,Dongfeng,BYD,Suzuki,Jinbei,Haima,Wuling,JAC,Subaru'
).split(',');

/** The country of a number in `country`; null: none is known. */
export function hikvisionCountry(index: number): string | null {
  return COUNTRIES[index - 1] ?? null;
}

/** The make of a number in `vehicleLogoRecog`; null: none is known. */
export function hikvisionMake(number: number): string | null {
  return MAKES[number - 1] ?? OTHER_MAKES[number] ?? null;
}

const OTHER_MAKES: Record<number, string> = { 41: 'Mercedes', 47: 'Renault' };

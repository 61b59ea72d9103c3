"""The common units: kind, pint's name, and how people spell it in several languages; an indented line goes on with the last."""

from __future__ import annotations

from typing import Final

TABLE: Final = """
length: kilometer: km, kms, kilometre, kilometres, kilometers, kilómetro, kilómetros, kilometern, kilomètres
length: meter: m, metre, metres, meters, metro, metros, metern, mètres
length: centimeter: cm, centimetre, centimetres, centimeters, zentimeter, centímetro, centímetros
length: millimeter: mm, millimetre, millimetres, millimeters, milímetros
length: micrometer: µm, μm, um, micrometre, micrometres, micrometers, micron, microns
length: nanometer: nm, nanometre, nanometres, nanometers
length: mile: mi, miles, meile, meilen, milla, millas, milles
length: nautical_mile: nmi, nautical mile, nautical miles, seemeile, seemeilen
length: yard: yd, yds, yards
length: foot: ft, feet, fuß, pie, pies
length: inch: in, inches, zoll, pulgada, pulgadas
length: light_year: ly, light year, light years, light-year, light-years, lightyears, lichtjahre
length: astronomical_unit: au, astronomical unit, astronomical units
mass: kilogram: kg, kgs, kilo, kilos, kilogramme, kilogrammes, kilograms, kilogramm, kilogramos
mass: gram: g, gr, gramme, grammes, grams, gramm, gramos
mass: milligram: mg, milligrams, milligramm, miligramos
mass: microgram: µg, μg, ug, mcg, micrograms
mass: metric_ton: t, tonne, tonnes, metric ton, metric tons, tonnen, toneladas
mass: short_ton: ton, short tons, us ton, us tons, tons
mass: long_ton: long ton, long tons, imperial ton, imperial tons
mass: pound: lb, lbs, pounds, libra, libras
mass: ounce: oz, ounces, unzen, onzas
mass: stone: st, stones
mass: grain: grains
mass: carat: ct, carats, karat
temperature: degree_Celsius: C, °C, ℃, celsius, centigrade, degC, degree celsius, degrees celsius,
  degrees c, grad celsius, grados celsius
temperature: degree_Fahrenheit: F, °F, ℉, fahrenheit, degF, degree fahrenheit, degrees fahrenheit,
  degrees f, grad fahrenheit, grados fahrenheit
temperature: kelvin: K, kelvins, degrees kelvin
temperature: degree_Rankine: °R, rankine, degR, degrees rankine
volume: liter: L, l, litre, litres, liters, litro, litros, litern
volume: milliliter: mL, ml, millilitre, millilitres, milliliters, mililitros
volume: centiliter: cL, cl, centilitre, centilitres, centiliters
volume: deciliter: dL, dl, decilitre, decilitres, deciliters
volume: meter**3: m³, m3, m^3, cubic metre, cubic metres, cubic meter, cubic meters, kubikmeter
volume: centimeter**3: cm³, cm3, cm^3, cc, cubic centimetre, cubic centimetres, cubic centimeter, cubic centimeters
volume: foot**3: ft³, ft3, ft^3, cubic foot, cubic feet
volume: gallon: gal, gallons, us gallon, us gallons, galones
volume: imperial_gallon: imperial gallon, imperial gallons, uk gallon, uk gallons
volume: quart: qt, quarts
volume: pint: pints, us pint, us pints
volume: imperial_pint: imperial pint, imperial pints, uk pint, uk pints
volume: cup: cups, tazas
volume: fluid_ounce: floz, fl oz, fluid ounce, fluid ounces, fl. oz.
volume: tablespoon: tbsp, tablespoons, esslöffel
volume: teaspoon: tsp, teaspoons, teelöffel
volume: oil_barrel: bbl, barrel, barrels
speed: kilometer/hour: kmh, kph, km/h, kmph, kilometres per hour, kilometers per hour,
  kilometre per hour, kilometer per hour, km per hour, stundenkilometer
speed: mile/hour: mph, mi/h, miles per hour, mile per hour
speed: meter/second: m/s, mps, metres per second, meters per second, metre per second, meter per second
speed: foot/second: ft/s, fps, feet per second, foot per second
speed: knot: kn, kt, knots, knoten, nudos
area: meter**2: m², m2, m^2, sqm, square metre, square metres, square meter, square meters, sq m, quadratmeter, metros cuadrados
area: kilometer**2: km², km2, km^2, square kilometre, square kilometres, square kilometer,
  square kilometers, sq km, quadratkilometer
area: centimeter**2: cm², cm2, cm^2, square centimetre, square centimetres, square centimeter, square centimeters
area: foot**2: ft², ft2, ft^2, sqft, square foot, square feet, sq ft
area: inch**2: in², in2, in^2, square inch, square inches, sq in
area: yard**2: yd², yd2, yd^2, square yard, square yards
area: mile**2: mi², mi2, mi^2, square mile, square miles, sq mi
area: hectare: ha, hectares, hektar, hectáreas
area: acre: acres
data: bit: bits
data: byte: B, bytes
data: kilobyte: kB, KB, kilobytes, kilobyte
data: megabyte: MB, megabytes, megabyte
data: gigabyte: GB, gigabytes, gigabyte
data: terabyte: TB, terabytes, terabyte
data: petabyte: PB, petabytes, petabyte
data: kibibyte: KiB, kibibytes
data: mebibyte: MiB, mebibytes
data: gibibyte: GiB, gibibytes
data: tebibyte: TiB, tebibytes
data: kilobit: kb, kbit, kilobits
data: megabit: Mb, Mbit, megabits
data: gigabit: Gb, Gbit, gigabits
data rate: megabit/second: Mbps, Mbit/s, Mb/s
data rate: megabyte/second: MB/s
energy: joule: J, joules
energy: kilojoule: kJ, kilojoules
energy: calorie: cal, calories, kalorien, calorías
energy: kilocalorie: kcal, kilocalories, kilokalorien
energy: watt_hour: Wh, watt hour, watt hours, watt-hours
energy: kilowatt_hour: kWh, kilowatt hour, kilowatt hours, kilowatt-hours, kilowattstunden
energy: british_thermal_unit: BTU, btu, btus
energy: electron_volt: eV, electronvolts, electron volts
power: watt: W, watts
power: kilowatt: kW, kilowatts
power: megawatt: MW, megawatts
power: horsepower: hp
power: metric_horsepower: PS, metric horsepower
time: second: s, sec, secs, seconds, sekunde, sekunden, segundo, segundos, secondes
time: millisecond: ms, milliseconds, millisekunden
time: minute: min, mins, minutes, minuten, minutos
time: hour: h, hr, hrs, hours, stunde, stunden, hora, horas, heures
time: day: d, days, tag, tage, tagen, día, días, jours
time: week: wk, weeks, woche, wochen, semana, semanas, semaines
time: month: months
time: year: yr, yrs, years, jahre
pressure: pascal: Pa, pascals
pressure: kilopascal: kPa, kilopascals
pressure: hectopascal: hPa, hectopascals
pressure: bar: bars
pressure: millibar: mbar, millibars
pressure: pound_force_per_square_inch: psi, pounds per square inch
pressure: standard_atmosphere: atm, atmosphere, atmospheres
pressure: millimeter_Hg: mmHg
angle: degree: deg, °, degrees, grados
angle: radian: rad, radians
frequency: hertz: Hz
frequency: kilohertz: kHz
frequency: megahertz: MHz
frequency: gigahertz: GHz
force: newton: N, newtons
force: pound_force: lbf, pound-force
"""

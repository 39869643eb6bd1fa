"""What the headings of columns mean, in the languages that linguists write them in.

Headings are compared without case, accents and punctuation. A heading that is not listed is never
guessed: the reader says which ones it does not know.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

from stepwrite.data.features import dimension_of
from stepwrite.data.layouts import cell_look

Role = Literal["lemma", "form", "word", "features", "feature", "other", ""]
"""What a heading names. word: the lemma or the form, whichever is missing; feature: one feature,
such as case; other: what training does not need; "": unknown."""

HEADINGS: dict[Role, str] = {
    "lemma": """lemma, lemmas, lemmata, headword, head word, citation form, dictionary form,
        base form, base, baseform, canonical form, infinitive, lexeme, dictionary entry, entry;
        Grundform, Nennform, Stichwort, Zitierform, Wörterbuchform, Infinitiv, Lexem;
        lemme, forme canonique, forme de citation, entrée, infinitif, lexème;
        lema, forma canónica, forma base, infinitivo, entrada, lexema;
        forma base, forma di citazione, infinito, lessema; forma canônica;
        basisvorm, trefwoord, infinitief; лемма, начальная форма, словарная форма, инфинитив;
        forma podstawowa, forma hasłowa, bezokolicznik, leksem; základní tvar, infinitiv;
        perusmuoto, sanakirjamuoto; grundform, uppslagsform, oppslagsform, opslagsform;
        temel biçim, sözlük biçimi, mastar; szótári alak; λήμμα; 原形; 词元; 辞書形; 見出し語""",
    "form": """form, forms, inflected form, inflected, surface form, surface, wordform, word form,
        inflection, target; Form, Wortform, flektierte Form, Flexionsform, Oberflächenform;
        forme, forme fléchie, forme de surface; forma, forma flexionada, forma conjugada;
        forma flessa; vorm, woordvorm, verbogen vorm; форма, словоформа; forma odmieniona;
        tvar, slovní tvar; muoto, taivutusmuoto; böjd form, böjningsform, bøyd form, bøjningsform;
        biçim, çekimli biçim; alak, ragozott alak; τύπος; 词形; 語形; 活用形""",
    "word": """word, words, Wort, mot, palabra, parola, palavra, woord, слово, słowo, slovo, sana,
        ord, kelime, sözcük, szó, λέξη, 词, 単語""",
    "features": """features, feature, feature bundle, tags, tag, morphological features, morphology,
        msd, feats, gloss tags, cell, slot, unimorph, paradigm cell, grammatical features, analysis;
        Merkmale, Merkmal, Merkmalsbündel, Flexionsmerkmale, Zelle, Analyse, Tags;
        traits, étiquettes, traits morphologiques, case du paradigme, étiquette;
        rasgos, etiquetas, etiqueta, rasgos morfológicos, análisis; tratti, etichette, traços;
        kenmerken; признаки, теги, грамматические признаки, помета; cechy, znaczniki; rysy, značky;
        piirteet, tunnisteet; drag, särdrag, trekk, træk; özellikler, etiketler; jegyek, címkék;
        χαρακτηριστικά; 特征; 素性""",
    "feature": """case, number, gender, person, tense, mood, aspect, voice, degree, definiteness,
        polarity, animacy, part of speech, pos, word class, class, finiteness, possessor,
        comparison, verb form, evidentiality, politeness, category;
        Kasus, Fall, Numerus, Zahl, Genus, Geschlecht, Person, Tempus, Zeit, Modus, Aspekt,
        Genus verbi, Steigerung, Steigerungsstufe, Bestimmtheit, Definitheit, Wortart, Wortklasse;
        cas, nombre, genre, personne, temps, mode, voix, degré, partie du discours, catégorie;
        caso, número, género, persona, tiempo, modo, aspecto, voz, grado, categoría, clase;
        numero, genere, tempo, categoria, parte del discorso, grado, aspetto, pessoa, gênero;
        naamval, getal, geslacht, persoon, tijd, wijs, woordsoort;
        падеж, число, род, лицо, время, наклонение, вид, залог, степень, часть речи;
        przypadek, liczba, rodzaj, osoba, czas, tryb, część mowy; pád, číslo, rod, osoba, čas,
        slovní druh; sija, sijamuoto, luku, persoona, aikamuoto, tapaluokka, sanaluokka;
        kasus, numerus, genus, tempus, ordklass, ordklasse, tal, tall, kön, kjønn, køn;
        hal, durum, sayı, kişi, zaman, kip, sözcük türü; eset, szám, személy, idő, mód, szófaj""",
    "other": """id, nr, no, number of row, index, line, note, notes, comment, comments, remark,
        remarks, gloss, meaning, translation, english, source, reference, frequency, count, speaker,
        date, example, sentence, ipa, pronunciation, audio, checked, status, probability, certainty,
        priority, reason;
        Nummer, lfd nr, Anmerkung, Anmerkungen, Bemerkung, Bemerkungen, Notiz, Notizen, Kommentar,
        Bedeutung, Übersetzung, Glosse, Quelle, Beleg, Häufigkeit, Sprecher, Sprecherin, Datum,
        Beispiel, Beispielsatz, Aussprache, geprüft;
        remarque, remarques, commentaire, traduction, sens, source, fréquence, exemple, locuteur;
        nota, notas, comentario, traducción, significado, fuente, frecuencia, ejemplo, hablante;
        commento, traduzione, significato, fonte, frequenza, esempio, tradução, exemplo;
        opmerking, vertaling, bron; примечание, перевод, источник, частота, пример, комментарий;
        uwagi, tłumaczenie, źródło; poznámka, překlad, zdroj; huomautus, käännös, lähde;
        anteckning, översättning, källa; açıklama, çeviri, kaynak; megjegyzés, fordítás, forrás""",
}

# What the cells of paradigms are called, by their tags in UniMorph.
GRAMMAR = {
    "NOM": "nominative nominativ nominatif nominativo nominatief именительный "
    "mianownik nominatiivi",
    "GEN": "genitive genitiv génitif genitivo genitief родительный dopełniacz genetiivi",
    "DAT": "dative dativ datif dativo datief дательный celownik datiivi",
    "ACC": "accusative akkusativ accusatif acusativo accusativo accusatief akk винительный biernik "
    "akkusatiivi ackusativ",
    "INS": "instrumental instrumentalis instr творительный narzędnik",
    "LOC": "locative lokativ locatif locativo miejscownik",
    "ESS": "prepositional предложный präpositiv",
    "VOC": "vocative vokativ vocatif vocativo wołacz звательный",
    "ABL": "ablative ablativ ablatif ablativo",
    "PRT": "partitive partitiv partitif partitivo partitiivi",
    "IN+ESS": "inessive inessiv inessiivi",
    "IN+ABL": "elative elativ elatiivi",
    "IN+ALL": "illative illativ illatiivi",
    "AT+ESS": "adessive adessiv adessiivi",
    "AT+ALL": "allative allativ allatiivi",
    "TRANS": "translative translativ translatiivi",
    "PRIV": "abessive abessiv abessiivi",
    "ERG": "ergative ergativ ergatif ergativo",
    "ABS": "absolutive absolutiv absolutif absolutivo",
    "SG": "singular singulier singolare sing singularis enkelvoud единственное ед yksikkö "
    "pojedyncza ental entall tekil egyes einzahl",
    "PL": "plural pluriel plurale plur pluralis meervoud множественное мн monikko mnoga flertal "
    "flertall çoğul többes mehrzahl",
    "DU": "dual duel duale dvojina",
    "PRS": "present präsens präs présent presente pres praesens настоящее preesens nutid",
    "PST": "past präteritum prät preterite prétérit pretérito passato imperfekt прошедшее "
    "preteriti preteritum datid",
    "FUT": "future futur futuro futurum будущее",
    "PRF": "perfect perfekt parfait perfecto perfetto perf",
    "IPFV": "imperfect imperfective imparfait imperfecto imperfetto",
    "PFV": "perfective",
    "IND": "indicative indikativ indicatif indicativo",
    "SBJV": "subjunctive konjunktiv subjonctif subjuntivo congiuntivo konj subj",
    "IMP": "imperative imperativ impératif imperativo",
    "COND": "conditional konditional conditionnel condicional condizionale",
    "NFIN": "infinitive infinitiv infinitif infinitivo infinito",
    "V.PTCP": "participle partizip participe participio participium ptcp",
    "PASS": "passive passiv passif pasivo passivo",
    "ACT": "active aktiv actif activo attivo",
    "MASC": "masculine maskulin masculin masculino maschile mask masc",
    "FEM": "feminine feminin féminin femenino feminino femminile fem",
    "NEUT": "neuter neutrum neutre neutro",
    "DEF": "definite definit bestimmt défini definido definito",
    "INDF": "indefinite indefinit unbestimmt indéfini indefinido indefinito",
    "CMPR": "comparative komparativ comparatif comparativo",
    "SPRL": "superlative superlativ superlatif superlativo",
    "1": "1st first erste première",
    "2": "2nd second zweite deuxième",
    "3": "3rd third dritte troisième",
}
PERSON_AND_NUMBER = re.compile(r"([123])(sg|pl|du|s|p)", re.IGNORECASE)
FILLERS = {"person", "pers", "p", "personne", "persona", "лицо", "case", "number", "tense", "form"}
NUMBERS = {"s": "SG", "p": "PL"}


def plain(heading: str) -> str:
    """A heading without case, accents and punctuation.

    >>> plain(" Part-of-speech: "), plain("Flektierte_Form")
    ('part of speech', 'flektierte form')
    """
    text = unicodedata.normalize("NFKD", heading).casefold()
    text = "".join(c for c in text if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", text.replace("_", " ")))


@cache
def known_headings() -> dict[str, Role]:
    return {
        plain(name): role
        for role, names in HEADINGS.items()
        for name in re.split("[,;]", names)
        if plain(name)
    }


def role_of(heading: str) -> Role:
    """What a heading says about its column.

    >>> [role_of(heading) for heading in ("Grundform", "FORME", "Kasus", "Anmerkung", "foo")]
    ['lemma', 'form', 'feature', 'other', '']
    """
    return known_headings().get(plain(heading), "")


@cache
def known_grammar() -> dict[str, str]:
    return {plain(word): tag for tag, words in GRAMMAR.items() for word in words.split()}


def bundle_of(label: str) -> str | None:
    """The feature bundle that a label means; None if a part of it is not known.

    >>> [bundle_of(label) for label in ("N;DAT;PL", "Dativ Plural", "DAT.PL", "3sg pres.", "foo")]
    ['N;DAT;PL', 'DAT;PL', 'DAT;PL', '3;SG;PRS', None]
    """
    if cell_look(label) in ("tags", "key=value"):
        return label
    tags: list[str] = []
    for word in re.findall(r"[^\s.,;:/+_()\[\]\-]+", label):
        if both := PERSON_AND_NUMBER.fullmatch(word):
            tags += [both[1], NUMBERS.get(both[2].lower(), both[2].upper())]
        elif tag := known_grammar().get(plain(word)):
            tags.append(tag)
        elif dimension_of(word.upper()):
            tags.append(word.upper())
        elif plain(word) not in FILLERS or not tags:
            return None
    return ";".join(tags) or None

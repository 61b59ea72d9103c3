"""Words that say nothing about which skill is wanted: function words of English, and small talk of many languages.

Other languages' function words need no list: the index does not know them, or knows them everywhere.
"""

from __future__ import annotations

_FUNCTION_WORDS = """
a about again am an and any anything are as at be been being both but by can cannot cant could couldn d did didn do does doesn
doing don dont each else every for from get gets getting give gives giving got had has have having he her here hers him his how
i id if ill im in into is isn it its ive just let lets like ll m many may maybe me might mine more most much must my need needs
no not now of off on one only or other others our ours out over please plz re s same she should so some something stuff such t
tell than that thats the their theirs them then there theres these they thing things this those to too u up us use ve very wanna
want wants was wasn we well were what whats when whens where wheres which while who whom whos whose why will with won would you
your youre yours
"""

_SMALL_TALK = """
alright amazing awesome bye cheers cool dear evening excellent fantastic fine glad good goodbye got great ha haha hello hey hi hmm
interesting lol love lovely morning nah nice night nope oh ok okay perfect really right see so sorry super sure thank thanks
thx ty understood welcome wonderful wow yay yeah yep yes yo
hallo danke bitte ja nein prima toll klar tschuss hola gracias si bueno vale adios bonjour salut merci oui non bien ciao grazie
ola obrigado obrigada nao hej dzieki czesc привет спасибо да нет хорошо ок пока
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split()) | frozenset(_SMALL_TALK.split())

"""What the hosts of skills offer: their tools and roles, and what has another name by now."""

from loopwright.tune.catalogue.catalogue import Catalogue as Catalogue
from loopwright.tune.catalogue.catalogue import Known as Known
from loopwright.tune.catalogue.catalogue import catalogue_of as catalogue_of
from loopwright.tune.catalogue.entries import Old as Old
from loopwright.tune.catalogue.entries import Tool as Tool

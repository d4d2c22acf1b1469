"""What the hosts of skills offer: their tools and roles, and what has another name by now."""

from loopwright.skills.catalogue.catalogue import Catalogue as Catalogue
from loopwright.skills.catalogue.catalogue import Known as Known
from loopwright.skills.catalogue.catalogue import Old as Old
from loopwright.skills.catalogue.catalogue import Tool as Tool
from loopwright.skills.catalogue.catalogue import catalogue_of as catalogue_of
